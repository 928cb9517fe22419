import type {
  ClientDomainStatus,
  DomainContact,
  DomainStatus,
  DsData,
  EppHostAddress,
  EppTransferStatus,
  PostalInfo,
} from '../shared/domains/epp/epp-objects.ts';
import type { XmlElement } from '../shared/domains/epp/epp-xml.ts';

// The state of the registry. Instants are ISO 8601 strings, so that it can be stored as JSON.

interface Account {
  password: string;
  /** Its owner gets a warning at each login. */
  passwordExpiresAt?: string;
}

export interface TransferRecord {
  status: EppTransferStatus;
  reID: string;
  requestedAt: string;
  acID: string;
  /** The deadline for an answer, or when it was answered. */
  actionAt: string;
  /** The number of years by which the transfer renews the domain. */
  years: number;
}

export interface DomainRecord {
  roid: string;
  /** Set by an account or the registry; `ok`, `inactive` and `pendingTransfer` are derived, not stored. */
  statuses: (ClientDomainStatus | Extract<DomainStatus, `server${string}` | 'pendingDelete'>)[];
  registrant: string | null;
  contacts: DomainContact[];
  nameservers: string[];
  clID: string;
  crID: string;
  createdAt: string;
  updatedAt: string | null;
  expiresAt: string;
  transferredAt: string | null;
  /** Null if none is set; nobody can then request a transfer. */
  authInfo: string | null;
  dsData: DsData[];
  rgpStatus: 'redemptionPeriod' | 'pendingRestore' | null;
  transfer: TransferRecord | null;
}

export interface ContactRecord {
  roid: string;
  postalInfo: PostalInfo[];
  voice: string | null;
  fax: string | null;
  email: string;
  /** The disclosure that its account requested; null for the registry's policy. */
  disclosure: { shown: boolean; elements: { name: string; type: string | null }[] } | null;
  authInfo: string;
  /** The registrant extension of its TLD, as it was sent. */
  extension: XmlElement | null;
  clID: string;
  crID: string;
  createdAt: string;
}

interface HostRecord {
  roid: string;
  addresses: EppHostAddress[];
  clID: string;
  crID: string;
  createdAt: string;
}

export interface MessageRecord {
  id: string;
  queuedAt: string;
  text: string;
  /** The transfer that it reports, with its state at that time. */
  transfer: { name: string; at: TransferRecord } | null;
  /** Other data of the message. */
  data?: XmlElement | undefined;
  extension?: XmlElement | undefined;
}

/** A charge to an account, in cents. */
interface ChargeRecord {
  account: string;
  name: string;
  command: string;
  amount: number;
  acknowledged: boolean;
}

export interface RegistryState {
  accounts: Record<string, Account>;
  domains: Record<string, DomainRecord>;
  contacts: Record<string, ContactRecord>;
  hosts: Record<string, HostRecord>;
  /** The messages of each account, oldest first. */
  queues: Record<string, MessageRecord[]>;
  /** The yearly prices of names with their own price, in cents. */
  premiums: Record<string, number>;
  charges: ChargeRecord[];
  /** The last number assigned to an object, a message or a command. */
  sequence: number;
}

/** Creates the state of an empty registry with these accounts and passwords. */
export function emptyState(accounts: Readonly<Record<string, string>>): RegistryState {
  return {
    accounts: Object.fromEntries(
      Object.entries(accounts).map(([id, password]) => [id, { password }]),
    ),
    domains: {},
    contacts: {},
    hosts: {},
    queues: {},
    premiums: {},
    charges: [],
    sequence: 0,
  };
}
