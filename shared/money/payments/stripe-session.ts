import type { Stripe } from 'stripe';
import { addMs, HOUR, MINUTE } from '../../platform/clock.ts';
import { timeOfId } from '../../platform/ids.ts';
import type { Cents } from '../../platform/money.ts';
import type { PaymentRequest, PaymentState } from './payment-provider.ts';
import { declineOf, hasFailed, succeeded } from './stripe-intent.ts';

type Session = Stripe.Checkout.Session;

/** Stripe allows 30 minutes to 24 hours from its receipt of the request, seconds or minutes after the first attempt. */
const SHORTEST_MS = 33 * MINUTE;
const LONGEST_MS = 24 * HOUR - 5 * MINUTE;

/**
 * Returns when Stripe's page closes, within Stripe's limits. Counts from the payment's creation, so that
 * a repeated request is identical.
 */
function pageExpiry(paymentId: string, expiresAt: Date): Date {
  const begin = timeOfId(paymentId);
  const ms = expiresAt.getTime() - begin.getTime();
  return addMs(begin, Math.min(Math.max(ms, SHORTEST_MS), LONGEST_MS));
}

/**
 * Builds the session that charges `unitAmount`, in Stripe's units: a pure function of the request, as
 * idempotency keys require.
 */
export function sessionParams(
  request: PaymentRequest,
  unitAmount: Cents,
): Stripe.Checkout.SessionCreateParams {
  const metadata = { payment_id: request.paymentId };
  return {
    mode: 'payment',
    client_reference_id: request.paymentId,
    ...buyerParams(request),
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
    payment_intent_data: {
      metadata,
      ...(request.keepsCard && { setup_future_usage: 'off_session' }),
    },
    success_url: request.returnUrl,
    cancel_url: request.cancelUrl,
    expires_at: Math.floor(pageExpiry(request.paymentId, request.expiresAt).getTime() / 1_000),
  };
}

/**
 * Returns the buyer's parameters. A card to store belongs to its owner's customer; if there is none yet, Stripe creates
 * it on payment. Only cards are then accepted, since they can be charged off-session.
 */
function buyerParams({
  keepsCard,
  customer,
  buyerEmail,
}: PaymentRequest): Stripe.Checkout.SessionCreateParams {
  if (!keepsCard) return { customer_email: buyerEmail };
  return {
    allowed_payment_method_types: ['card'],
    ...(typeof customer === 'string'
      ? { customer }
      : { customer_email: buyerEmail, customer_creation: 'always' }),
  };
}

/**
 * Returns a payment's state from its session. The intent, expanded with its review and payment method, tells whether a
 * completed but unpaid session is pending or has failed, and what {@link succeeded} reads of a paid one.
 */
export function stateOfSession(session: Session): PaymentState {
  const reference = session.id;
  const intent = typeof session.payment_intent === 'object' ? session.payment_intent : null;
  if (session.payment_status !== 'unpaid') return succeeded(reference, intent);
  if (session.status === 'expired') return { status: 'failed', reference, code: 'cancelled' };
  if (session.status === 'open') {
    return { status: 'requires_confirmation', reference, url: session.url };
  }
  if (intent && hasFailed(intent)) {
    return { status: 'failed', reference, code: declineOf(intent.last_payment_error) };
  }
  return { status: 'pending', reference };
}

/** Returns whether a Stripe key moves real money; `sk_test_...` and `rk_test_...` never do. */
export function isLiveKey(secretKey: string): boolean {
  return /^(sk|rk)_live_/.test(secretKey);
}
