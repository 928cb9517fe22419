import type { Environment } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';
import type { DsData } from '../epp/epp-objects.ts';
import type { Registrant } from '../registrants/registrant.ts';

/** How a domain reaches its buyer: `push` within our registrar, or first from another one by its `auth_code`. */
export const TRANSFER_METHODS = ['push', 'auth_code'] as const;

export type TransferMethod = (typeof TRANSFER_METHODS)[number];

/** The state of a push at the registrar. */
export interface PushState {
  status: 'pending' | 'completed' | 'failed' | 'action_required';
  /** A short machine-readable word, or the registry's own status name. */
  reason?: string;
  /** The delivery method, if the registrar reports it. */
  method?: TransferMethod;
}

export interface PushRequest {
  /**
   * Chosen by us and stable: the registrar makes at most one push per reference, however often we call it.
   * A deliberate new attempt (an ops retry) uses another reference.
   */
  clientReference: string;
  /** A-labels. */
  domain: string;
  /** Whether the domain only moves to our account, for another registrar to request: its registrant stays. */
  bringsOnly?: boolean;
}

/** Where a domain is registered, and what prevents its delivery. */
export interface Registration {
  /** A-labels. */
  domain: string;
  /** The registry's name of the sponsoring account; null if the domain is not registered. */
  registrar: string | null;
  /** The registry's statuses (RFC 5731). */
  statuses: string[];
  /** Whether its statuses allow delivery. */
  transferable: boolean;
  /** The end of the lock after creation or the last transfer. */
  lockedUntil: Date | null;
  /** The lock under upcoming rules, and when these take effect; null if none are known. */
  later: { from: Date; lockedUntil: Date | null } | null;
}

/** A registry's information about the requested domains. */
export interface RegistryReport {
  registrations: Registration[];
  /** The domains (A-labels) for which the response was unreadable. */
  unreadable: string[];
}

/** The grace status of a domain that its registry is deleting. */
export type GraceStatus = 'redemption' | 'pending_restore' | 'pending_delete';

/** The registrar's record of a domain. */
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
  /** Null if the registrar does not report it. */
  registeredAt: Date | null;
  /** When it was last transferred from another registrar. */
  transferredAt: Date | null;
  expiresAt: Date;
  /** Set after expiry, once the registry deletes it (RFC 3915); a restore is only possible from `redemption`. */
  grace?: GraceStatus;
  /** Increases with every change: the higher version is newer. */
  version: number;
}

/** One change of a domain at its registrar. */
export type DomainChange =
  | { kind: 'nameservers'; nameservers: readonly string[] }
  | { kind: 'lock'; enabled: boolean }
  /** Keeps the domain out of the DNS (`clientHold`). */
  | { kind: 'hold'; enabled: boolean }
  /** Replaces the delegation signers (DNSSEC). */
  | { kind: 'signers'; signers: readonly DsData[] }
  | { kind: 'auto_renew'; enabled: boolean }
  | { kind: 'privacy'; enabled: boolean }
  | {
      kind: 'renew';
      years: number;
      /** The registry fee that its owner agreed to pay; without it a premium name is not renewed. */
      acknowledgedFee?: Money;
    }
  | {
      /** Restores it from its redemption period (RFC 3915). */
      kind: 'restore';
      /** The registry fee that its owner agreed to pay; without it a premium name is not restored. */
      acknowledgedFee?: Money;
    }
  /** Replaces the registrant or their data. */
  | { kind: 'registrant'; registrant: Registrant }
  /** Prohibits transfer, update and deletion at the registry. */
  | { kind: 'legal_hold'; enabled: boolean };

/** The registry's prices for a domain; null where it gives none. */
export interface DomainPrices {
  /** A-labels. */
  domain: string;
  /** Whether it costs more than the TLD's standard prices. */
  isPremium: boolean;
  /** The registry's name for its price class, such as `premium`. */
  feeClass: string | null;
  create: Money | null;
  renew: Money | null;
  transfer: Money | null;
  restore: Money | null;
}

export interface ChangeRequest {
  /** Chosen by us and stable: the registrar makes the change at most once, however often we call it. */
  clientReference: string;
  /** A-labels. */
  domain: string;
  change: DomainChange;
  /** Whether the change is made even during a legal hold; other changes are then refused. */
  duringLegalHold?: boolean;
}

/** The domain after the change, or why the registrar will never make it, worded for its owner. */
export type ChangeAnswer = { status: 'done'; facts: DomainFacts } | Refused;

/** A request about the authorization code of one of our domains, which another registrar needs to request it. */
interface AuthCodeRequest {
  /** Chosen by us and stable: it stands for one code, however often we call the registrar. */
  clientReference: string;
  /** A-labels. */
  domain: string;
}

/** The code, or why the registrar will never issue it, worded for the owner. */
type AuthCodeAnswer = { status: 'done'; code: string } | Refused;

interface Refused {
  status: 'refused';
  reason: string;
}

/** A transfer of a domain from our account to another registrar. */
export interface TransferAway {
  status: 'pending' | 'approved' | 'rejected' | 'cancelled';
  /** The account that requested it, as the registry names it. */
  requestedBy: string | null;
  requestedAt: Date | null;
  /** When it was answered; for a pending one, when the registry approves it if nobody answers. */
  actionAt: Date | null;
}

/** What becomes of the transfers that a registry's messages report. */
export interface TransferNews {
  /** Handles a domain (A-labels) that another registrar may have requested; returns whether it did. */
  noticed(domain: string): Promise<boolean>;
  /** Handles a domain that another registrar has although nobody here let it go; returns whether its owner knows. */
  taken(of: { domain: string; registrar: string | null }): Promise<boolean>;
}

/** Our answer to a transfer that another registrar requested. */
interface TransferAnswer {
  clientReference: string;
  /** A-labels. */
  domain: string;
  answer: 'approve' | 'reject';
  /** The account whose request is answered; a request by another account meanwhile is not. */
  requestedBy: string | null;
}

/**
 * The registrar that holds the domains for sale. An adapter throws if it gets no response; the caller then retries with
 * the same reference.
 */
export interface Registrar {
  name: string;
  /** Starts the push, or finds the one already started. */
  push(request: PushRequest): Promise<PushState>;
  /**
   * Goes on with a push as far as it can now, which may send commands to the registry, and returns its state; an unknown
   * reference is failed (`unknown_reference`).
   */
  proceed(clientReference: string): Promise<PushState>;
  /**
   * Cancels a push: afterwards nothing is open under the reference, and a push of it that arrives later is refused.
   * Returns `too_late` if the domain has already been delivered.
   */
  cancel(clientReference: string): Promise<'cancelled' | 'too_late'>;
  /** Returns where these domains are registered; nothing from a registrar without a registry. */
  describe(domains: readonly string[]): Promise<RegistryReport>;
  /**
   * Reads up to `limit` messages of its registry and stores each before acknowledging it. Returns how many it
   * acknowledged.
   * @param news called for each domain that another registrar may have requested (`noticed`; if it returns false, again
   *   next time) or has taken
   */
  readMessages(limit: number, signal: AbortSignal, news?: TransferNews): Promise<number>;
  /**
   * Returns the registry's prices for these domains, for registrations and renewals of `years`. A registry without fee
   * information has no premium names; domains without prices are omitted.
   */
  prices(domains: readonly string[], years: number): Promise<DomainPrices[]>;
  /** Returns the records of these domains; domains that it does not hold are omitted. */
  inspect(domains: readonly string[]): Promise<DomainFacts[]>;
  /** Changes a domain, or finds that this change was already made. */
  change(request: ChangeRequest): Promise<ChangeAnswer>;
  /**
   * Sets a fresh authorization code, which replaces an earlier one and works for one transfer. A repeated call
   * returns the same code, or is refused if the code was replaced, used or removed since.
   */
  issueAuthCode(request: AuthCodeRequest): Promise<AuthCodeAnswer>;
  /** Removes the code of this reference and never sets it again; later codes stay. */
  clearAuthCode(request: AuthCodeRequest): Promise<{ status: 'done' } | Refused>;
  /** Returns a domain's current transfer away from us, or its last one. */
  findTransfer(domain: string): Promise<TransferAway | undefined>;
  /** Answers a pending transfer away, unless it has ended, and returns its state. */
  answerTransfer(answer: TransferAnswer): Promise<TransferAway | undefined>;
}

/** For how many days a domain is locked, and how long these rules apply. */
export interface TransferRules {
  /** After its creation. */
  creationLockDays: number;
  /** After a transfer. */
  transferLockDays: number;
  /** When other rules may take effect; null if none are known. */
  until: Date | null;
}

/** Returns the rules for a domain (A-labels) that apply at an instant. */
export type TransferRulesOf = (domain: string, instant: Date) => Promise<TransferRules>;

/** Another process may be sending the same command; by `until` it has a response or is dead. */
export class RegistrarBusy extends Error {
  readonly until: Date;

  constructor(clTRID: string, until: Date) {
    super(`another process may be sending ${clTRID}`);
    this.name = 'RegistrarBusy';
    this.until = until;
  }
}

/** The reason of a push that waits for the end of a legal hold. */
export const LEGAL_HOLD = 'legal_hold';

/** The answer for the owner of a domain on legal hold. */
export const ON_LEGAL_HOLD = {
  status: 'refused',
  reason: 'The domain is on legal hold and cannot be changed.',
} as const;

/** The answer for an owner whose domain the registry still locks after a hold was lifted. */
export const BEING_RELEASED = {
  status: 'refused',
  reason:
    'A legal hold was just lifted, and the registry still keeps the domain as it is. Try again in a few minutes.',
} as const;

/** Returns whether a change was refused for a current or just lifted legal hold, and may be made later. */
export function waitsForLegalHold(answer: ChangeAnswer): boolean {
  return answer.status === 'refused' && OF_LEGAL_HOLDS.includes(answer.reason);
}

const OF_LEGAL_HOLDS: readonly string[] = [ON_LEGAL_HOLD.reason, BEING_RELEASED.reason];

/** Returns the registrar of an environment. */
export type Registrars = (environment: Environment) => Registrar;

/** Returns the registrant for a push, by its reference; undefined while unknown. */
export type RegistrantOfPush = (clientReference: string) => Promise<Registrant | undefined>;
