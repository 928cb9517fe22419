import type { Payment } from '../../money/payments/payment.ts';
import { DAY, HOUR } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';

/** How long sessions without an order, and failed payments, are kept after they ended: disputes about them come within weeks. */
export const CHECKOUT_KEEP_MS = 90 * DAY;

/** A hosted payment page for one domain. */
export interface CheckoutSession {
  id: string;
  partnerId: string;
  environment: Environment;
  /** Null for a brokered domain. */
  listingId: number | null;
  /** The deal that is paid for; null for a listed domain. */
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
  /** The token of the quote that the session took over: its price and its time are the session's. */
  quoteId: string | null;
  /** Why the last payment did not go through. */
  lastDecline: string | null;
  orderId: string | null;
  createdAt: Date;
  updatedAt: Date;
  /** Since when a person is to decide about the purchase, before which nothing is charged; null while nobody is. */
  reviewSince: Date | null;
  /** What that person is to look at. */
  reviewReasons: string[];
  /** What people have let pass, for the buyer and the price that the session has. */
  clearedReasons: string[];
  /** Until then the price is the session's; after that the listing's, which the buyer confirms. */
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

/** Whose sessions: every query a partner causes is bound to it. */
export interface SessionOwner {
  partnerId: string;
  environment: Environment;
}

/** How a session begins: nobody has to look at it, and nobody has. */
export function noReview(): Pick<
  CheckoutSession,
  'reviewSince' | 'reviewReasons' | 'clearedReasons'
> {
  return { reviewSince: null, reviewReasons: [], clearedReasons: [] };
}

/** How long people have to decide about a purchase; its buyer waits no longer. */
export const REVIEW_MS = 72 * HOUR;
/** How long the buyer can pay once they have let it pass, also where the session would have ended before. */
export const CLEARED_MS = 24 * HOUR;

/** The `lastDecline` of a session that a person turned down before its payment. */
export const REVIEW_DECLINED = 'review_declined';

/** Whether the session keeps its domain for the buyer while no payment is under way: by a quote, or by a review. */
export function keepsDomain({
  quoteId,
  reviewSince,
  clearedReasons,
}: Pick<CheckoutSession, 'quoteId' | 'reviewSince' | 'clearedReasons'>): boolean {
  return quoteId !== null || reviewSince !== null || clearedReasons.length > 0;
}

/** The status now; the stored one may lag behind the clock. */
export function statusAt(session: CheckoutSession, now: Date): SessionStatus {
  return session.status === 'open' && session.expiresAt <= now ? 'expired' : session.status;
}

/** Whether a payment can still take money. */
export function isPaymentOpen({ status }: Pick<Payment, 'status'>): boolean {
  return status === 'created' || status === 'requires_confirmation' || status === 'pending';
}

/** Whether a payment leaves no room for another one: it is under way or has succeeded. */
export function blocksNewPayment(payment: Pick<Payment, 'status'>): boolean {
  return isPaymentOpen(payment) || payment.status === 'succeeded';
}

/**
 * What the buyer pays at `now`: the session's price for its first day, then the listing's. A payment that is
 * under way keeps the amount that the buyer agreed to.
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

/** A partner's URL with what it needs to know; the rest of it stays as the partner wrote it. */
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
 * `failed`: money came after the domain had gone, and goes back. The others say what they are.
 */
export type SessionStatus = (typeof SESSION_STATUSES)[number];

export interface SessionMove {
  from: readonly SessionStatus[];
  to: SessionStatus;
}

/**
 * Every move a checkout session can make. Money may still arrive after a buyer cancelled or the time ran
 * out: it then buys the domain, or goes back. Drawn in docs/checkout.md.
 */
export const SESSION_MOVES = {
  pay: { from: ['open', 'cancelled', 'expired'], to: 'paid' },
  fail: { from: ['open', 'cancelled', 'expired'], to: 'failed' },
  cancel: { from: ['open'], to: 'cancelled' },
  reopen: { from: ['cancelled'], to: 'open' },
  expire: { from: ['open'], to: 'expired' },
} as const satisfies Record<string, SessionMove>;

/** Whether a buyer who cancelled can still pay by the same link; what people turned down is over. */
export function canReopen(session: CheckoutSession, now: Date): boolean {
  const byBuyer = session.status === 'cancelled' && session.lastDecline !== REVIEW_DECLINED;
  return byBuyer && now < session.expiresAt && !isCaseSession(session);
}

export type SessionMoveName = keyof typeof SESSION_MOVES;
