import type { Stripe } from 'stripe';
import { addMs, HOUR, MINUTE } from '../../platform/clock.ts';
import { timeOfId } from '../../platform/ids.ts';
import type { Cents } from '../../platform/money.ts';
import type {
  DeclineCode,
  ExpectedPayment,
  PaymentRequest,
  PaymentState,
} from './payment-provider.ts';
import { stripeAmount } from './stripe-amount.ts';

type Session = Stripe.Checkout.Session;

/** Stripe takes 30 minutes to 24 hours from when it is asked, which is some seconds after the first try, or a few minutes. */
const SHORTEST_MS = 33 * MINUTE;
const LONGEST_MS = 24 * HOUR - 5 * MINUTE;

/**
 * When Stripe's page closes, within Stripe's bounds. They are counted from the payment's beginning, so that
 * a request sent again says the same.
 */
function pageExpiry(paymentId: string, expiresAt: Date): Date {
  const begin = timeOfId(paymentId);
  const ms = expiresAt.getTime() - begin.getTime();
  return addMs(begin, Math.min(Math.max(ms, SHORTEST_MS), LONGEST_MS));
}

/**
 * The session that takes `unitAmount`, in Stripe's units, for this payment: a pure function of the request, as
 * idempotency keys demand.
 */
export function sessionParams(
  request: PaymentRequest,
  unitAmount: Cents,
): Stripe.Checkout.SessionCreateParams {
  const metadata = { payment_id: request.paymentId };
  return {
    mode: 'payment',
    client_reference_id: request.paymentId,
    customer_email: request.buyerEmail,
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: request.amount.currency.toLowerCase(),
          unit_amount: unitAmount,
          product_data: { name: request.description },
        },
      },
    ],
    metadata,
    payment_intent_data: { metadata },
    success_url: request.returnUrl,
    cancel_url: request.cancelUrl,
    expires_at: Math.floor(pageExpiry(request.paymentId, request.expiresAt).getTime() / 1_000),
  };
}

/**
 * What a session says of its payment. Its payment intent, expanded with its review, tells whether an unpaid one that
 * was completed is on its way or has failed, and whether Radar wants a person to look at a paid one.
 */
export function stateOfSession(session: Session): PaymentState {
  const reference = session.id;
  if (session.payment_status !== 'unpaid') {
    const paid = { status: 'succeeded', reference } as const;
    return isInReview(session.payment_intent) ? { ...paid, inReview: true } : paid;
  }
  if (session.status === 'expired') return { status: 'failed', reference, code: 'cancelled' };
  if (session.status === 'open') {
    return { status: 'requires_confirmation', reference, url: session.url };
  }
  const intent = typeof session.payment_intent === 'object' ? session.payment_intent : null;
  if (intent?.status === 'requires_payment_method' || intent?.status === 'canceled') {
    return { status: 'failed', reference, code: declineOf(intent.last_payment_error) };
  }
  return { status: 'pending', reference };
}

/** A review that ended in anything but approval still needs a person, unless that was told otherwise. */
function isInReview(intent: Session['payment_intent']): boolean {
  const review = typeof intent === 'object' ? intent?.review : null;
  return typeof review === 'object' && review !== null && review.closed_reason !== 'approved';
}

const DECLINES: Readonly<Record<string, DeclineCode>> = {
  expired_card: 'expired_card',
  incorrect_cvc: 'incorrect_cvc',
  invalid_cvc: 'incorrect_cvc',
  incorrect_number: 'invalid_card',
  invalid_number: 'invalid_card',
  invalid_expiry_month: 'invalid_card',
  invalid_expiry_year: 'invalid_card',
  authentication_required: 'authentication_failed',
  payment_intent_authentication_failure: 'authentication_failed',
  processing_error: 'processing_error',
};

function declineOf(error: Stripe.PaymentIntent['last_payment_error']): DeclineCode {
  if (error?.decline_code === 'insufficient_funds') return 'insufficient_funds';
  return DECLINES[error?.code ?? ''] ?? 'card_declined';
}

/** Whether a key of Stripe moves real money; `sk_test_...` and `rk_test_...` never do. */
export function isLiveKey(secretKey: string): boolean {
  return /^(sk|rk)_live_/.test(secretKey);
}

/**
 * Why a session is not the one that we asked for, or null. Somebody with access to the account can make and
 * change pages by hand, and the signing secret of a test endpoint signs payments that moved no money.
 */
export function mismatchOf(
  session: Stripe.Checkout.Session,
  expected: ExpectedPayment,
  live: boolean,
): 'livemode' | 'payment' | 'amount' | 'currency' | null {
  if (session.livemode !== live) return 'livemode';
  if (session.metadata?.payment_id !== expected.paymentId) return 'payment';
  if (session.currency?.toUpperCase() !== expected.amount.currency) return 'currency';
  return session.amount_total === stripeAmount(expected.amount) ? null : 'amount';
}
