import type { Payment } from '../../money/payments/payment.ts';
import { DAY, HOUR } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';

/** How long sessions without an order, and failed payments, are kept after they end. Disputes come within weeks. */
export const CHECKOUT_KEEP_MS = 90 * DAY;

/** A hosted payment page for one domain. */
export interface CheckoutSession {
  id: string;
  partnerId: string;
  environment: Environment;
  /** Null for a brokered domain. */
  listingId: number | null;
  /** The deal that the session is for; null for a listed domain. */
  brokerageCaseId: string | null;
  /** A-labels. */
  domain: string;
  price: Money;
  /** Basis points; fixed when the session was created. */
  commissionBps: number;
  status: SessionStatus;
  returnUrl: string | null;
  cancelUrl: string | null;
  clientReference: string | null;
  buyerEmail: string | null;
  buyerName: string | null;
  buyerCountry: string | null;
  /** The code of the referral link that brought the buyer. */
  referralCode: string | null;
  /** The token of the quote whose price and end the session took over. */
  quoteId: string | null;
  /** Why the last payment did not go through. */
  lastDecline: string | null;
  orderId: string | null;
  createdAt: Date;
  updatedAt: Date;
  /** When the current review of the purchase began; null without one. Nothing is charged during a review. */
  reviewSince: Date | null;
  /** The reasons for the review. */
  reviewReasons: string[];
  /** Reasons that staff have approved for this buyer and price. */
  clearedReasons: string[];
  /** When the session's price stops applying. After that, the buyer confirms the listing's price. */
  priceLockedUntil: Date;
  expiresAt: Date;
}

/** The payment page of a brokerage deal. */
export interface CaseSession extends CheckoutSession {
  brokerageCaseId: string;
}

export function isCaseSession(session: CheckoutSession): session is CaseSession {
  return session.brokerageCaseId !== null;
}

/** The owner of sessions. Every query on behalf of a partner is limited to it. */
export interface SessionOwner {
  partnerId: string;
  environment: Environment;
}

/** Returns the review fields of a new session. */
export function noReview(): Pick<
  CheckoutSession,
  'reviewSince' | 'reviewReasons' | 'clearedReasons'
> {
  return { reviewSince: null, reviewReasons: [], clearedReasons: [] };
}

/** How long staff have to decide about a purchase. */
export const REVIEW_MS = 72 * HOUR;
/** How long the buyer can pay after the approval, even if the session would have ended sooner. */
export const CLEARED_MS = 24 * HOUR;

/** The `lastDecline` of a session that staff declined before its payment. */
export const REVIEW_DECLINED = 'review_declined';

/** Returns whether a quote or a review keeps the domain for the buyer while no payment is in progress. */
export function keepsDomain({
  quoteId,
  reviewSince,
  clearedReasons,
}: Pick<CheckoutSession, 'quoteId' | 'reviewSince' | 'clearedReasons'>): boolean {
  return quoteId !== null || reviewSince !== null || clearedReasons.length > 0;
}

/** Returns the status at `now`. The stored status may lag behind the clock. */
export function statusAt(session: CheckoutSession, now: Date): SessionStatus {
  return session.status === 'open' && session.expiresAt <= now ? 'expired' : session.status;
}

/** Returns whether a payment can still be charged. */
export function isPaymentOpen({ status }: Pick<Payment, 'status'>): boolean {
  return status === 'created' || status === 'requires_confirmation' || status === 'pending';
}

/** Returns whether a payment blocks another one, because it is in progress or has succeeded. */
export function blocksNewPayment(payment: Pick<Payment, 'status'>): boolean {
  return isPaymentOpen(payment) || payment.status === 'succeeded';
}

/**
 * Returns what the buyer pays at `now`: the session's price until `priceLockedUntil`, then the listing's. A payment in
 * progress keeps the amount that the buyer agreed to.
 */
export function priceInForce(
  session: CheckoutSession,
  listing: { price: Money },
  payment: Payment | undefined,
  now: Date,
): Money {
  if (payment && isPaymentOpen(payment)) return payment.amount;
  return now < session.priceLockedUntil ? session.price : listing.price;
}

/** Adds the session id and status to a partner's URL. The rest of the URL stays unchanged. */
export function returnUrlWithStatus(
  target: string,
  session: { id: string },
  status: string,
): string {
  const url = new URL(target);
  const separator = url.search === '' ? '?' : '&';
  url.search = `${url.search}${separator}session_id=${session.id}&status=${status}`;
  return url.href;
}

export const SESSION_STATUSES = ['open', 'paid', 'failed', 'cancelled', 'expired'] as const;

/**
 * The status of a session. `failed`: the payment arrived after the domain was gone, and is refunded.
 */
export type SessionStatus = (typeof SESSION_STATUSES)[number];

export interface SessionMove {
  from: readonly SessionStatus[];
  to: SessionStatus;
}

/**
 * Every move a checkout session can make. A payment may still arrive after the buyer canceled or the session
 * expired. It then buys the domain or is refunded. Drawn in docs/checkout.md.
 */
export const SESSION_MOVES = {
  pay: { from: ['open', 'cancelled', 'expired'], to: 'paid' },
  fail: { from: ['open', 'cancelled', 'expired'], to: 'failed' },
  cancel: { from: ['open'], to: 'cancelled' },
  reopen: { from: ['cancelled'], to: 'open' },
  expire: { from: ['open'], to: 'expired' },
} as const satisfies Record<string, SessionMove>;

/** Returns whether a buyer who canceled can still pay with the same link. Not after staff declined the purchase. */
export function canReopen(session: CheckoutSession, now: Date): boolean {
  const byBuyer = session.status === 'cancelled' && session.lastDecline !== REVIEW_DECLINED;
  return byBuyer && now < session.expiresAt && !isCaseSession(session);
}

export type SessionMoveName = keyof typeof SESSION_MOVES;
