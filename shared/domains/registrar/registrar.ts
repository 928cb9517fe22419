import type { Environment } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';
import type { DsData } from '../epp/epp-objects.ts';
import type { Registrant } from '../registrants/registrant.ts';

/** How a domain travels: `push` within our registrar, `auth_code` from another one, by its authorization code. */
export const TRANSFER_METHODS = ['push', 'auth_code'] as const;

export type TransferMethod = (typeof TRANSFER_METHODS)[number];

/** Where a push stands at the registrar. `reason` is a short machine-readable word. */
export interface PushState {
  status: 'pending' | 'completed' | 'failed' | 'action_required';
  /** A short word, or the registry's own name of a status. */
  reason?: string;
  /** When the registrar says how the domain travels. */
  method?: TransferMethod;
}

export interface PushRequest {
  /**
   * Chosen by us and stable: the registrar makes at most one push of it, however often it is asked.
   * Another attempt on purpose (an ops retry) is another reference.
   */
  clientReference: string;
  /** A-labels. */
  domain: string;
  /** The domain only comes to our account, for another registrar to fetch: its registrant stays. */
  bringsOnly?: boolean;
}

/** Where a domain is registered, and what speaks against its delivery. */
export interface Registration {
  /** A-labels. */
  domain: string;
  /** The account that holds it, as the registry names it; null when it is not registered. */
  registrar: string | null;
  /** As the registry names them (RFC 5731). */
  statuses: string[];
  /** Whether its statuses let it be delivered. */
  transferable: boolean;
  /** Until when it is too new, or was transferred too recently, to be delivered. */
  lockedUntil: Date | null;
  /** The same by other rules, and from when on they are in force; null when none are known to come. */
  later: { from: Date; lockedUntil: Date | null } | null;
}

/** What a registry says of the domains that it was asked about. */
export interface RegistryReport {
  registrations: Registration[];
  /** The domains (A-labels) on which an answer came that cannot be read. */
  unreadable: string[];
}

/** A domain that its registry deletes. */
export type GraceStatus = 'redemption' | 'pending_restore' | 'pending_delete';

/** What the registrar keeps of a domain. */
export interface DomainFacts {
  /** A-labels. */
  domain: string;
  nameservers: string[];
  /** Whether the domain is locked against transfers away. */
  locked: boolean;
  autoRenew: boolean;
  /** Whether the registrant is hidden in WHOIS. */
  privacy: boolean;
  /** Whether it is kept out of the DNS (`clientHold`). */
  held: boolean;
  /** Its delegation signers (DNSSEC). */
  signers: readonly DsData[];
  /** Null where the registrar does not say. */
  registeredAt: Date | null;
  /** When it last came from another registrar. */
  transferredAt: Date | null;
  expiresAt: Date;
  /** Set after its end, once the registry deletes it (RFC 3915); only from `redemption` can it be restored. */
  grace?: GraceStatus;
  /** Grows with every change: the higher one of two is the later word. */
  version: number;
}

/** One change of a domain at its registrar. */
export type DomainChange =
  | { kind: 'nameservers'; nameservers: readonly string[] }
  | { kind: 'lock'; enabled: boolean }
  /** Keeps the domain out of the DNS (`clientHold`). */
  | { kind: 'hold'; enabled: boolean }
  /** Has exactly these delegation signers (DNSSEC). */
  | { kind: 'signers'; signers: readonly DsData[] }
  | { kind: 'auto_renew'; enabled: boolean }
  | { kind: 'privacy'; enabled: boolean }
  | {
      kind: 'renew';
      years: number;
      /** What its owner agreed to pay the registry; without it a premium name is not renewed. */
      acknowledgedFee?: Money;
    }
  | {
      /** Takes it back from its redemption period (RFC 3915). */
      kind: 'restore';
      /** What its owner agreed to pay the registry; without it a premium name is not restored. */
      acknowledgedFee?: Money;
    }
  /** Registers it for somebody, at another address, or with other data of theirs. */
  | { kind: 'registrant'; registrant: Registrant }
  /** Whether the registry lets it be transferred, changed or deleted. */
  | { kind: 'legal_hold'; enabled: boolean };

/** What the registry charges for a domain. What it does not say is null. */
export interface DomainPrices {
  /** A-labels. */
  domain: string;
  /** Whether it costs more than the names that the TLD's prices are for. */
  isPremium: boolean;
  /** The registry's name for its prices, such as `premium`. */
  feeClass: string | null;
  create: Money | null;
  renew: Money | null;
  transfer: Money | null;
  restore: Money | null;
}

export interface ChangeRequest {
  /** Chosen by us and stable: the registrar makes the change at most once, however often it is asked. */
  clientReference: string;
  /** A-labels. */
  domain: string;
  change: DomainChange;
  /** A change that is made although the domain is on legal hold; any other is refused then. */
  duringLegalHold?: boolean;
}

/** The domain after the change; or why the registrar will never make it, in words for its owner. */
export type ChangeAnswer = { status: 'done'; facts: DomainFacts } | Refused;

/** A domain of ours and the authorization code that another registrar needs to ask for it. */
interface AuthCodeRequest {
  /** Chosen by us and stable: it stands for one code, however often the registrar is asked. */
  clientReference: string;
  /** A-labels. */
  domain: string;
}

/** What became of a request for a code; or why the registrar will never do it, in words for the owner. */
type AuthCodeAnswer = { status: 'done'; code: string } | Refused;

interface Refused {
  status: 'refused';
  reason: string;
}

/** A transfer of a domain from our account to another registrar. */
export interface TransferAway {
  status: 'pending' | 'approved' | 'rejected' | 'cancelled';
  /** The account that asked for it, as the registry names it. */
  requestedBy: string | null;
  requestedAt: Date | null;
  /** When it was answered; of a pending one, when the registry approves it if nobody answers. */
  actionAt: Date | null;
}

/** Says whether it has taken note of a domain (A-labels) that another registrar may ask for. */
export type TransferNoticed = (domain: string) => Promise<boolean>;

/** Our answer to a transfer that another registrar asked for. */
interface TransferAnswer {
  clientReference: string;
  /** A-labels. */
  domain: string;
  answer: 'approve' | 'reject';
  /** The account whose request is answered; one that another account makes meanwhile stays. */
  requestedBy: string | null;
}

/**
 * The registrar that holds the domains on sale. An adapter throws when it gets no answer; the caller then retries with
 * the same reference.
 */
export interface Registrar {
  name: string;
  /** Begins the push, or finds it when it has begun. */
  push(request: PushRequest): Promise<PushState>;
  /** A reference that the registrar does not know reads as failed (`unknown_reference`). */
  read(clientReference: string): Promise<PushState>;
  /**
   * Afterwards nothing is open under the reference, and a push of it that arrives later is refused;
   * `too_late` when the domain has left already.
   */
  cancel(clientReference: string): Promise<'cancelled' | 'too_late'>;
  /** Where these domains are registered; a registrar without a registry says nothing. */
  describe(domains: readonly string[]): Promise<RegistryReport>;
  /**
   * Reads up to `limit` messages of its registry, each kept before it is taken off the queue. Returns how many it
   * took off.
   * @param noticed told of each domain that another registrar may ask for; of one that it does not take note of, it is
   *   told again at the next call
   */
  readMessages(limit: number, signal: AbortSignal, noticed?: TransferNoticed): Promise<number>;
  /**
   * What the registry charges for these domains, registrations and renewals for so many years. A registry that says
   * nothing of fees has no premium names; a domain that it says nothing of is missing.
   */
  prices(domains: readonly string[], years: number): Promise<DomainPrices[]>;
  /** What it keeps of these domains; one that it does not hold is missing from the answer. */
  inspect(domains: readonly string[]): Promise<DomainFacts[]>;
  /** Changes a domain, or finds that this very change was made. */
  change(request: ChangeRequest): Promise<ChangeAnswer>;
  /**
   * Sets a fresh authorization code, which takes the place of an earlier one and works for one transfer. Asked again,
   * it gives the same code; one that was replaced, used or taken away since is refused.
   */
  issueAuthCode(request: AuthCodeRequest): Promise<AuthCodeAnswer>;
  /** Takes away the code of this reference; later ones stay, and it is never set again. */
  clearAuthCode(request: AuthCodeRequest): Promise<{ status: 'done' } | Refused>;
  /** The present transfer of a domain away from us, or its last one. */
  findTransfer(domain: string): Promise<TransferAway | undefined>;
  /** Answers a pending transfer away, unless it has ended, and gives what has become of it. */
  answerTransfer(answer: TransferAnswer): Promise<TransferAway | undefined>;
}

/** For how many days a domain is locked. */
export interface TransferRules {
  /** After its creation. */
  creationLockDays: number;
  /** After a transfer. */
  transferLockDays: number;
  /** From when on other rules may be in force; null when none are known to come. */
  until: Date | null;
}

/** The rules for a domain (A-labels) that are in force at an instant. */
export type TransferRulesOf = (domain: string, instant: Date) => Promise<TransferRules>;

/** Another process may be sending the very command that is asked for; `until` then it has answered, or is dead. */
export class RegistrarBusy extends Error {
  readonly until: Date;

  constructor(clTRID: string, until: Date) {
    super(`another process may be sending ${clTRID}`);
    this.name = 'RegistrarBusy';
    this.until = until;
  }
}

/** The reason why a push waits for the end of a legal hold. */
export const LEGAL_HOLD = 'legal_hold';

/** What the owner of a domain on legal hold is told. */
export const ON_LEGAL_HOLD = {
  status: 'refused',
  reason: 'The domain is on legal hold and cannot be changed.',
} as const;

/** What the owner of a domain is told whose hold was lifted while the registry still keeps it as it is. */
export const BEING_RELEASED = {
  status: 'refused',
  reason:
    'A legal hold was just lifted, and the registry still keeps the domain as it is. Try again in a few minutes.',
} as const;

/** Whether a change was refused for a legal hold, which stands or was just lifted: it may be made later. */
export function waitsForLegalHold(answer: ChangeAnswer): boolean {
  return answer.status === 'refused' && OF_LEGAL_HOLDS.includes(answer.reason);
}

const OF_LEGAL_HOLDS: readonly string[] = [ON_LEGAL_HOLD.reason, BEING_RELEASED.reason];

/** The registrar of an environment. */
export type Registrars = (environment: Environment) => Registrar;

/** Who the domain of a push is registered for, by the reference of the push; undefined while nobody has said so. */
export type RegistrantOfPush = (clientReference: string) => Promise<Registrant | undefined>;
