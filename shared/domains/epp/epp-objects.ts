import type { Money } from '../../platform/money.ts';
import type { XmlElement } from './epp-xml.ts';

/** What RFC 5731 lets a domain's status be. */
export const DOMAIN_STATUSES = [
  'clientDeleteProhibited',
  'clientHold',
  'clientRenewProhibited',
  'clientTransferProhibited',
  'clientUpdateProhibited',
  'inactive',
  'ok',
  'pendingCreate',
  'pendingDelete',
  'pendingRenew',
  'pendingTransfer',
  'pendingUpdate',
  'serverDeleteProhibited',
  'serverHold',
  'serverRenewProhibited',
  'serverTransferProhibited',
  'serverUpdateProhibited',
] as const;

export type DomainStatus = (typeof DOMAIN_STATUSES)[number];

/** The statuses that a registrar sets itself. */
export type ClientDomainStatus = Extract<DomainStatus, `client${string}`>;

/** Where a transfer stands (RFC 5730, section 2.9.3.4). */
export const EPP_TRANSFER_STATUSES = [
  'pending',
  'clientApproved',
  'clientCancelled',
  'clientRejected',
  'serverApproved',
  'serverCancelled',
] as const;

export type EppTransferStatus = (typeof EPP_TRANSFER_STATUSES)[number];

/** Whom a domain names for what. */
export interface DomainContact {
  type: 'admin' | 'billing' | 'tech';
  id: string;
}

/** A record of a delegation signer (RFC 5910). */
export interface DsData {
  keyTag: number;
  alg: number;
  digestType: number;
  /** Hexadecimal. */
  digest: string;
}

/** A domain to be registered. */
export interface NewDomain {
  /** A-labels. */
  name: string;
  years?: number;
  /** Names of hosts that the registry knows. */
  nameservers?: readonly string[];
  registrant?: string;
  contacts?: readonly DomainContact[];
  authInfo: string;
  dsData?: readonly DsData[];
}

/** What an update adds to a domain, or takes from it. */
export interface DomainParts {
  nameservers?: readonly string[];
  contacts?: readonly DomainContact[];
  statuses?: readonly ClientDomainStatus[];
}

/** A change of a domain. */
export interface DomainUpdate {
  name: string;
  add?: DomainParts;
  remove?: DomainParts;
  registrant?: string;
  /** Null takes it away, so that no transfer can be asked for (RFC 9154). */
  authInfo?: string | null;
  dsData?: { add?: readonly DsData[]; remove?: readonly DsData[]; removeAll?: boolean };
  /** Asks for a domain in its redemption period back, or reports why it was (RFC 3915). */
  restore?: 'request' | RestoreReport;
  /** What a restore costs, where the registry wants that acknowledged. */
  fee?: Money;
}

/** What a registry may want to know of a domain that it gave back (RFC 3915, section 4.2.5). */
export interface RestoreReport {
  /** The registration data before the deletion and after the restore, as text. */
  before: string;
  after: string;
  deletedAt: Date;
  restoredAt: Date;
  reason: string;
  /** What we affirm, in the registry's words. */
  statements: readonly [string, string];
}

/** What the registry charges for a domain (RFC 8748). What it does not say is null. */
export interface DomainFees {
  name: string;
  /** Whether a renewal is not at the registry's standard price, as far as the registry says. */
  isPremium: boolean;
  /** The registry's name for its prices, such as `premium`. */
  feeClass: string | null;
  create: Money | null;
  renew: Money | null;
  transfer: Money | null;
  restore: Money | null;
}

/** A warning or error that a registry has about a login (RFC 8807). */
export interface LoginEvent {
  /** What it is about: `password`, `certificate`, `cipher`, `tlsProtocol`, `newPW`, `stat` or `custom`. */
  type: string;
  name: string | null;
  level: 'warning' | 'error';
  /** When it expires. */
  expiresAt: Date | null;
  text: string;
}

/** What the registry says of a domain. What it keeps from us is null. */
export interface DomainInfo {
  name: string;
  roid: string;
  statuses: DomainStatus[];
  registrant: string | null;
  contacts: DomainContact[];
  nameservers: string[];
  /** Hosts below the domain. */
  hosts: string[];
  /** The account that holds it. */
  clID: string;
  createdAt: Date | null;
  updatedAt: Date | null;
  expiresAt: Date | null;
  transferredAt: Date | null;
  authInfo: string | null;
  dsData: DsData[];
  /** Grace periods that it is in (RFC 3915), such as `redemptionPeriod`. */
  rgpStatuses: string[];
}

/** A transfer of a domain as the registry tells it. What it leaves out, or what nobody can read, is null. */
export interface TransferInfo {
  name: string;
  status: EppTransferStatus;
  /** The account that asked for it. */
  reID: string | null;
  requestedAt: Date | null;
  /** The account that has to answer, or answered. */
  acID: string | null;
  /** When it was answered, or is answered by the registry if nobody does. */
  actionAt: Date | null;
}

/** Whether a name can be created, and what speaks against it. */
export interface Availability {
  name: string;
  available: boolean;
  reason: string | null;
}

/** A postal address, in ASCII (`int`) or in the script of its country (`loc`). */
export interface PostalInfo {
  type: 'int' | 'loc';
  name: string;
  organization?: string;
  street?: readonly string[];
  city: string;
  state?: string;
  postalCode?: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
}

/** A contact to be created. */
export interface NewContact {
  /** 3 to 16 characters. */
  id: string;
  postalInfo: readonly PostalInfo[];
  /** As `+1.7035555555`. */
  voice?: string;
  email: string;
  authInfo: string;
  /** Whether the registry shows its data to others (RFC 5733, section 2.9); `types` are those of its addresses. */
  disclosure?: { shown: boolean; types: readonly PostalInfo['type'][] };
  /** What a registry asks of registrants beyond that, in several versions; the first that it offers is sent. */
  extensions?: readonly XmlElement[];
}

/** What is to be another in a contact; the rest stays. */
export interface ContactChange extends Partial<Omit<NewContact, 'id' | 'extensions'>> {
  id: string;
}

/** What the registry says of a contact. */
export interface ContactInfo {
  id: string;
  roid: string;
  statuses: string[];
  postalInfo: PostalInfo[];
  voice: string | null;
  email: string | null;
  /** Whether its data are shown to others; null where the policy of the registry decides. */
  shown: boolean | null;
  clID: string;
}

/** An address of a host. */
export interface EppHostAddress {
  ip: 'v4' | 'v6';
  address: string;
}

/** Addresses that a host gets and loses. */
export interface HostChange {
  name: string;
  add?: readonly EppHostAddress[];
  remove?: readonly EppHostAddress[];
}

/** What the registry says of a host. */
export interface HostInfo {
  name: string;
  roid: string;
  statuses: string[];
  addresses: EppHostAddress[];
  clID: string;
}

/** A change of a domain that the registry made by itself, and how the domain was or is (RFC 8590). */
export interface ChangeNotice {
  /** Such as `update`, or `custom` with its own name behind a space. */
  operation: string;
  at: Date | null;
  /** Who made it, in the registry's words. */
  by: string | null;
  reason: string | null;
  /** The kind and id of a case, such as `urs urs123`. */
  caseId: string | null;
  state: 'before' | 'after';
  domain: DomainInfo | null;
}

/** Maintenance of the registry that is planned, changed or off (RFC 9167). */
export interface MaintenanceNotice {
  /** What became of it: `create`, `update`, `delete`, `courtesy` or `end`. */
  kind: string | null;
  systems: string[];
  start: Date | null;
  end: Date | null;
  reason: string | null;
  /** Where to read more. */
  detail: string | null;
}

/** A message of the registry's queue for us. What cannot be read of it is null. */
export interface PollMessage {
  /** Empty when the registry gave none: then it cannot be taken off the queue. */
  id: string;
  /** Messages in the queue, this one included. */
  count: number | null;
  queuedAt: Date | null;
  text: string;
  /** The domain that it is about, when it names one. */
  domain: string | null;
  /** What the message is about, when it is a transfer. */
  transfer: (Omit<TransferInfo, 'status'> & { status: EppTransferStatus | null }) | null;
  /** The outcome of an action that was pending, when it is one. */
  action: { name: string; succeeded: boolean; clTRID: string | null; svTRID: string } | null;
  change: ChangeNotice | null;
  maintenance: MaintenanceNotice[];
  /** What of it was not read, in words for people; null when everything was. */
  fault: string | null;
  /** The whole answer that brought it. */
  raw: Uint8Array;
}
