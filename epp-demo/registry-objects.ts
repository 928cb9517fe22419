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

// What the registry keeps. Instants are ISO 8601, so that all of it can be written as JSON.

interface Account {
  password: string;
  /** Its owner is warned of it at each login. */
  passwordExpiresAt?: string;
}

export interface TransferRecord {
  status: EppTransferStatus;
  reID: string;
  requestedAt: string;
  acID: string;
  /** Until when it is answered, or when it was. */
  actionAt: string;
  /** Years by which it renews. */
  years: number;
}

export interface DomainRecord {
  roid: string;
  /** Set by an account or the registry; `ok`, `inactive` and `pendingTransfer` are told, not kept. */
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
  /** Null when none is set: then nobody can ask for a transfer. */
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
  /** What its account asked to be hidden or shown; null is the policy of the registry. */
  disclosure: { shown: boolean; elements: { name: string; type: string | null }[] } | null;
  authInfo: string;
  /** What its TLD asks of a registrant, as it was sent. */
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
  /** The domain whose transfer it tells of, and where that stood. */
  transfer: { name: string; at: TransferRecord } | null;
  /** What else it has. */
  data?: XmlElement | undefined;
  extension?: XmlElement | undefined;
}

/** What an account was charged, in cents. */
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
  /** Messages of each account, the oldest first. */
  queues: Record<string, MessageRecord[]>;
  /** Yearly prices of names that have one of their own, in cents. */
  premiums: Record<string, number>;
  charges: ChargeRecord[];
  /** The last number given to an object, a message or a command. */
  sequence: number;
}

/** An empty registry with these accounts and their passwords. */
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
