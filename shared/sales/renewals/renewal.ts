import type { DomainFacts } from '../../domains/registrar/registrar.ts';
import { DAY, MINUTE } from '../../platform/clock.ts';
import { conflict } from '../../platform/errors.ts';
import type { Money } from '../../platform/money.ts';

/** How long the shown price of a renewal is valid. */
export const PRICE_MS = 30 * MINUTE;

/** The days before expiry on which we try to renew a domain that was bought here with its owner's saved card. */
export const TRY_DAYS = [30, 15, 7, 3] as const;

/** How long unpaid renewals are kept after they end. */
export const UNPAID_KEEP_MS = 90 * DAY;

export const RENEWAL_KINDS = ['renewal', 'restore'] as const;
/** `restore`: restores and renews a deleted domain in its redemption period (RFC 3915). */
export type RenewalKind = (typeof RENEWAL_KINDS)[number];

/** The registry's fees for a premium name, which we acknowledge to it; null for a fee that does not apply. */
export interface RegistryFees {
  renew: Money | null;
  restore: Money | null;
}

/** An owner's purchase for a domain: more years, or its return from the redemption period. */
export interface Renewal {
  id: string;
  userId: string;
  /** A-labels. */
  domain: string;
  kind: RenewalKind;
  years: number;
  /** The expiry date to which the years are added. */
  renewsFrom: Date;
  /** Includes all taxes. */
  price: Money;
  fees: RegistryFees;
  status: RenewalStatus;
  /** The name on the receipt; null until a payment begins. */
  payerName: string | null;
  payerCountry: string | null;
  /** Why the last payment did not go through. */
  lastDecline: string | null;
  /** Why the renewal was refunded, in words for its owner: the registry's refusal or the reason given by staff. */
  refusal: string | null;
  /** The id of the payment that paid the renewal. */
  paymentId: string | null;
  /** Whether the owner lets us save the card. */
  keepsCard: boolean;
  /** The attempt with the saved card, as days before expiry; null if the owner pays. */
  automaticDays: number | null;
  createdAt: Date;
  updatedAt: Date;
  /** When the price stops being valid. */
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

/** `paid`: the registry is being asked. `refunded`: the owner got the money back, for example after a refusal. */
export type RenewalStatus = (typeof RENEWAL_STATUSES)[number];

interface RenewalMove {
  from: readonly RenewalStatus[];
  to: RenewalStatus;
}

/** Every move that a renewal can make. Money that arrives after it ends is refunded. */
export const RENEWAL_MOVES = {
  pay: { from: ['awaiting_payment'], to: 'paid' },
  complete: { from: ['paid'], to: 'completed' },
  refund: { from: ['paid', 'completed'], to: 'refunded' },
  cancel: { from: ['awaiting_payment'], to: 'cancelled' },
  expire: { from: ['awaiting_payment'], to: 'expired' },
} as const satisfies Record<string, RenewalMove>;

export type RenewalMoveName = keyof typeof RENEWAL_MOVES;

/** Returns the status at `now`. The stored status may lag behind the clock. */
export function statusAt(
  { status, expiresAt }: Pick<Renewal, 'status' | 'expiresAt'>,
  now: Date,
): RenewalStatus {
  return status === 'awaiting_payment' && expiresAt <= now ? 'expired' : status;
}

/** Returns what the registry has made of a renewal, judging by the domain's facts; null for nothing. */
export function madeOf(
  { kind, renewsFrom }: Pick<Renewal, 'kind' | 'renewsFrom'>,
  { expiresAt, grace }: Pick<DomainFacts, 'expiresAt' | 'grace'>,
): 'renewed' | 'restored' | null {
  if (expiresAt > renewsFrom) return 'renewed';
  // A restore comes before its renewal, and the registry has already charged for it.
  return kind === 'restore' && (!grace || grace === 'pending_restore') ? 'restored' : null;
}

/** Creates the error for a renewal that cannot be sold. */
export function notRenewable(message: string) {
  return conflict('invalid_state', message);
}
