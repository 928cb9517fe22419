import type { Stripe } from 'stripe';
import type {
  CardNews,
  DeclineCode,
  ExpectedPayment,
  KeptCard,
  PaymentState,
} from './payment-provider.ts';
import { stripeAmount } from './stripe-amount.ts';
import { idOf } from './stripe-refund.ts';

type Intent = Stripe.PaymentIntent;

/** Returns the state of a payment made without a page from its intent, which must be expanded with its review. */
export function stateOfIntent(intent: Intent): PaymentState {
  const { id: reference, status } = intent;
  if (status === 'succeeded') return succeeded(reference, intent);
  // Off session, nobody can complete the bank's confirmation step.
  if (status === 'requires_action') {
    return { status: 'failed', reference, code: 'authentication_failed' };
  }
  if (hasFailed(intent)) {
    return { status: 'failed', reference, code: declineOf(intent.last_payment_error) };
  }
  return { status: 'pending', reference };
}

/**
 * Returns the state of a succeeded payment from its intent, expanded with its review and its payment method: whether
 * Radar requires a review by a person, and the card that Stripe stored.
 */
export function succeeded(
  reference: string,
  intent: Intent | null,
): Extract<PaymentState, { status: 'succeeded' }> {
  const paid = { status: 'succeeded', reference } as const;
  if (intent === null) return paid;
  const keptCard = keptCardOf(intent);
  return { ...paid, ...(isInReview(intent) && { inReview: true }), ...(keptCard && { keptCard }) };
}

/** Returns whether a payment intent cannot succeed without another payment method. */
export function hasFailed({ status }: Intent): boolean {
  return status === 'requires_payment_method' || status === 'canceled';
}

/** Returns whether a review by a person is pending. A review that ended without approval still counts as pending. */
function isInReview({ review }: Intent): boolean {
  return typeof review === 'object' && review !== null && review.closed_reason !== 'approved';
}

function keptCardOf({ setup_future_usage, payment_method: method }: Intent): KeptCard | undefined {
  if (setup_future_usage !== 'off_session' || typeof method !== 'object') return undefined;
  const customer = idOf(method?.customer ?? null);
  const card = method?.card && cardOf(method.card);
  return method && card && customer !== null ? { token: method.id, customer, ...card } : undefined;
}

function cardOf({
  brand,
  last4,
  exp_month: expMonth,
  exp_year: expYear,
}: Stripe.PaymentMethod.Card) {
  return { brand, last4, expMonth, expYear };
}

/** Returns the update of a card that we may have stored; null for every other event. */
export function cardNewsOf(event: Stripe.Event): CardNews | null {
  switch (event.type) {
    case 'payment_method.detached':
      return { token: event.data.object.id, card: null };
    case 'payment_method.updated':
    case 'payment_method.automatically_updated': {
      const { id: token, card } = event.data.object;
      return card ? { token, card: cardOf(card) } : null;
    }
    default:
      return null;
  }
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

/** Maps the code of an intent's last error or of a rejected request to our decline code. */
export function declineOf(
  error: { code?: string | undefined; decline_code?: string | undefined } | null,
): DeclineCode {
  if (error?.decline_code === 'insufficient_funds') return 'insufficient_funds';
  return DECLINES[error?.code ?? ''] ?? DECLINES[error?.decline_code ?? ''] ?? 'card_declined';
}

/**
 * Returns why a session or intent is not the one that we requested, or null. Somebody with access to the account can
 * create and change pages by hand, and a test endpoint's signing secret signs payments that moved no money.
 */
export function mismatchOf(
  answer: Stripe.Checkout.Session | Intent,
  expected: ExpectedPayment,
  live: boolean,
): 'livemode' | 'payment' | 'amount' | 'currency' | null {
  const amount = answer.object === 'payment_intent' ? answer.amount : answer.amount_total;
  if (answer.livemode !== live) return 'livemode';
  if (answer.metadata?.payment_id !== expected.paymentId) return 'payment';
  if (answer.currency?.toUpperCase() !== expected.amount.currency) return 'currency';
  return amount === stripeAmount(expected.amount) ? null : 'amount';
}
