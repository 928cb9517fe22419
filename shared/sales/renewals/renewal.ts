import type { DomainFacts } from '../../domains/registrar/registrar.ts';
import { DAY, MINUTE } from '../../platform/clock.ts';
import { conflict } from '../../platform/errors.ts';
import type { Money } from '../../platform/money.ts';

/** How long the price of a renewal stays as it was shown. */
export const PRICE_MS = 30 * MINUTE;

/** So many days before its end a domain that was bought here is renewed by the card of its owner; again after a failure. */
export const TRY_DAYS = [30, 15, 7, 3] as const;

/** How long renewals that nobody paid for are kept after they ended. */
export const UNPAID_KEEP_MS = 90 * DAY;

export const RENEWAL_KINDS = ['renewal', 'restore'] as const;
/** `restore`: the domain was deleted and is in its redemption period (RFC 3915); it is renewed with it. */
export type RenewalKind = (typeof RENEWAL_KINDS)[number];

/** What the registry asks for a premium name, which is acknowledged to it; null for what it does not ask. */
export interface RegistryFees {
  renew: Money | null;
  restore: Money | null;
}

/** What an owner buys for a domain of theirs: more years, or its return from the redemption period. */
export interface Renewal {
  id: string;
  userId: string;
  /** A-labels. */
  domain: string;
  kind: RenewalKind;
  years: number;
  /** The end of the registration, to which the years are added. */
  renewsFrom: Date;
  /** With all taxes. */
  price: Money;
  fees: RegistryFees;
  status: RenewalStatus;
  /** Who the receipt is for; null until it is paid for. */
  payerName: string | null;
  payerCountry: string | null;
  /** Why the last payment did not go through. */
  lastDecline: string | null;
  /** Why the registry refused it, in words for its owner; the money then goes back. */
  refusal: string | null;
  /** The payment that it was paid with. */
  paymentId: string | null;
  /** Whether the owner lets us keep the card that it is paid with. */
  keepsCard: boolean;
  /** How many days before the end it was tried by itself, by the kept card; null where the owner pays. */
  automaticDays: number | null;
  createdAt: Date;
  updatedAt: Date;
  /** Until then it can be paid for at this price. */
  expiresAt: Date;
}

const RENEWAL_STATUSES = [
  'awaiting_payment',
  'paid',
  'completed',
  'refunded',
  'cancelled',
  'expired',
] as const;

/** `paid`: the registry is asked. `refunded`: the registry refused, or the bank took the money back. */
export type RenewalStatus = (typeof RENEWAL_STATUSES)[number];

interface RenewalMove {
  from: readonly RenewalStatus[];
  to: RenewalStatus;
}

/** Every move that a renewal can make. Money that arrives after its end goes back. */
export const RENEWAL_MOVES = {
  pay: { from: ['awaiting_payment'], to: 'paid' },
  complete: { from: ['paid'], to: 'completed' },
  refund: { from: ['paid', 'completed'], to: 'refunded' },
  cancel: { from: ['awaiting_payment'], to: 'cancelled' },
  expire: { from: ['awaiting_payment'], to: 'expired' },
} as const satisfies Record<string, RenewalMove>;

export type RenewalMoveName = keyof typeof RENEWAL_MOVES;

/** The status now; the stored one may lag behind the clock. */
export function statusAt(
  { status, expiresAt }: Pick<Renewal, 'status' | 'expiresAt'>,
  now: Date,
): RenewalStatus {
  return status === 'awaiting_payment' && expiresAt <= now ? 'expired' : status;
}

/** What of a renewal the registry has made, by what it says of the domain; null for nothing of it. */
export function madeOf(
  { kind, renewsFrom }: Pick<Renewal, 'kind' | 'renewsFrom'>,
  { expiresAt, grace }: Pick<DomainFacts, 'expiresAt' | 'grace'>,
): 'renewed' | 'restored' | null {
  if (expiresAt > renewsFrom) return 'renewed';
  // A restore comes before its years, and the registry has charged for it then.
  return kind === 'restore' && (!grace || grace === 'pending_restore') ? 'restored' : null;
}

/** The refusal of a renewal that cannot be sold. */
export function notRenewable(message: string) {
  return conflict('invalid_state', message);
}
