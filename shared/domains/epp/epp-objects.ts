import type { Money } from '../../platform/money.ts';
import type { XmlElement } from './epp-xml.ts';

/** The domain statuses of RFC 5731. */
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

/** The transfer statuses (RFC 5730, section 2.9.3.4). */
export const EPP_TRANSFER_STATUSES = [
  'pending',
  'clientApproved',
  'clientCancelled',
  'clientRejected',
  'serverApproved',
  'serverCancelled',
] as const;

export type EppTransferStatus = (typeof EPP_TRANSFER_STATUSES)[number];

/** A contact of a domain and its role. */
export interface DomainContact {
  type: 'admin' | 'billing' | 'tech';
  id: string;
}

/** A delegation signer (DS) record (RFC 5910). */
export interface DsData {
  keyTag: number;
  alg: number;
  digestType: number;
  /** Hexadecimal. */
  digest: string;
}

/** A domain to register. */
export interface NewDomain {
  /** A-labels. */
  name: string;
  years?: number;
  /** Host names that exist at the registry. */
  nameservers?: readonly string[];
  registrant?: string;
  contacts?: readonly DomainContact[];
  authInfo: string;
  dsData?: readonly DsData[];
}

/** The parts that an update adds to a domain or removes from it. */
export interface DomainParts {
  nameservers?: readonly string[];
  contacts?: readonly DomainContact[];
  statuses?: readonly ClientDomainStatus[];
}

/** An update of a domain. */
export interface DomainUpdate {
  name: string;
  add?: DomainParts;
  remove?: DomainParts;
  registrant?: string;
  /** Null removes it, so that no transfer can be requested (RFC 9154). */
  authInfo?: string | null;
  dsData?: { add?: readonly DsData[]; remove?: readonly DsData[]; removeAll?: boolean };
  /** Requests a domain back from its redemption period, or submits the restore report (RFC 3915). */
  restore?: 'request' | RestoreReport;
  /** The restore fee, if the registry wants it acknowledged. */
  fee?: Money;
}

/** The report that a registry may require after a restore (RFC 3915, section 4.2.5). */
export interface RestoreReport {
  /** The registration data before the deletion and after the restore, as text. */
  before: string;
  after: string;
  deletedAt: Date;
  restoredAt: Date;
  reason: string;
  /** Our declarations, in the registry's wording. */
  statements: readonly [string, string];
}

/** The registry's fees for a domain (RFC 8748); null where it gives none. */
export interface DomainFees {
  name: string;
  /** Whether a renewal differs from the registry's standard price, as far as the registry says. */
  isPremium: boolean;
  /** The registry's name for its price class, such as `premium`. */
  feeClass: string | null;
  create: Money | null;
  renew: Money | null;
  transfer: Money | null;
  restore: Money | null;
}

/** A registry's warning or error about a login (RFC 8807). */
export interface LoginEvent {
  /** The subject: `password`, `certificate`, `cipher`, `tlsProtocol`, `newPW`, `stat` or `custom`. */
  type: string;
  name: string | null;
  level: 'warning' | 'error';
  /** When the subject of the event, such as the password, expires. */
  expiresAt: Date | null;
  text: string;
}

/** A domain as the registry reports it; null where it withholds a value. */
export interface DomainInfo {
  name: string;
  roid: string;
  statuses: DomainStatus[];
  registrant: string | null;
  contacts: DomainContact[];
  nameservers: string[];
  /** Subordinate hosts. */
  hosts: string[];
  /** The sponsoring registrar's account. */
  clID: string;
  createdAt: Date | null;
  updatedAt: Date | null;
  expiresAt: Date | null;
  transferredAt: Date | null;
  authInfo: string | null;
  dsData: DsData[];
  /** The grace periods that apply (RFC 3915), such as `redemptionPeriod`. */
  rgpStatuses: string[];
}

/** A domain transfer as the registry reports it; missing or unreadable values are null. */
export interface TransferInfo {
  name: string;
  status: EppTransferStatus;
  /** The account that requested it. */
  reID: string | null;
  requestedAt: Date | null;
  /** The account that must respond, or has responded. */
  acID: string | null;
  /** When it was answered, or when the registry answers it if nobody does. */
  actionAt: Date | null;
}

/** Whether a name can be created, and why not. */
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

/** A contact to create. */
export interface NewContact {
  /** 3 to 16 characters. */
  id: string;
  postalInfo: readonly PostalInfo[];
  /** Such as `+1.7035555555`. */
  voice?: string;
  email: string;
  authInfo: string;
  /** Whether the registry discloses its data (RFC 5733, section 2.9); `types` are the types of its addresses. */
  disclosure?: { shown: boolean; types: readonly PostalInfo['type'][] };
  /** Additional registrant data in several extension versions; the first version that the registry offers is sent. */
  extensions?: readonly XmlElement[];
}

/** The changed fields of a contact; the others stay. */
export interface ContactChange extends Partial<Omit<NewContact, 'id' | 'extensions'>> {
  id: string;
}

/** A contact as the registry reports it. */
export interface ContactInfo {
  id: string;
  roid: string;
  statuses: string[];
  postalInfo: PostalInfo[];
  voice: string | null;
  email: string | null;
  /** Whether its data is disclosed; null if the registry's policy decides. */
  shown: boolean | null;
  clID: string;
}

/** An IP address of a host. */
export interface EppHostAddress {
  ip: 'v4' | 'v6';
  address: string;
}

/** The addresses that a host gains and loses. */
export interface HostChange {
  name: string;
  add?: readonly EppHostAddress[];
  remove?: readonly EppHostAddress[];
}

/** A host as the registry reports it. */
export interface HostInfo {
  name: string;
  roid: string;
  statuses: string[];
  addresses: EppHostAddress[];
  clID: string;
}

/** A domain change made by the registry, with the domain before or after it (RFC 8590). */
export interface ChangeNotice {
  /** Such as `update`, or `custom` followed by a space and the registry's own name. */
  operation: string;
  at: Date | null;
  /** The person or system that made it, in the registry's words. */
  by: string | null;
  reason: string | null;
  /** The type and ID of a case, such as `urs urs123`. */
  caseId: string | null;
  state: 'before' | 'after';
  domain: DomainInfo | null;
}

/** Planned, changed or canceled registry maintenance (RFC 9167). */
export interface MaintenanceNotice {
  /** The kind of notice: `create`, `update`, `delete`, `courtesy` or `end`. */
  kind: string | null;
  systems: string[];
  start: Date | null;
  end: Date | null;
  reason: string | null;
  /** A URL with more details. */
  detail: string | null;
}

/** A message from the registry's poll queue; unreadable values are null. */
export interface PollMessage {
  /** Empty if the registry gave none; the message then cannot be removed from the queue. */
  id: string;
  /** The number of messages in the queue, including this one. */
  count: number | null;
  queuedAt: Date | null;
  text: string;
  /** The domain that the message names, if any. */
  domain: string | null;
  /** The transfer that the message reports, if any. */
  transfer: (Omit<TransferInfo, 'status'> & { status: EppTransferStatus | null }) | null;
  /** The outcome of a pending action that the message reports, if any. */
  action: { name: string; succeeded: boolean; clTRID: string | null; svTRID: string } | null;
  change: ChangeNotice | null;
  maintenance: MaintenanceNotice[];
  /** The parts that could not be read, in plain words; null if everything was read. */
  fault: string | null;
  /** The whole response that contained the message. */
  raw: Uint8Array;
}
