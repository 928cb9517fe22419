import type { Stripe } from 'stripe';
import type { ProviderRefundRequest, RefundResult } from './payment-provider.ts';
import { stripeAmount } from './stripe-amount.ts';

/** The page size; no payment has more refunds. */
const PAGE = 100;

/** The bank returned the money this often: its account is closed, and only another way reaches the buyer. */
const MOST_FAILURES = 3;

/**
 * Refunds the payment of a session or of an intent without one, once. Looks for earlier refunds first, because Stripe
 * forgets idempotency keys after a day. Makes another refund only after a failed one, and none after the third.
 */
export async function refundAtStripe(
  stripe: Stripe,
  request: ProviderRefundRequest,
  fits: (paid: Stripe.Checkout.Session | Stripe.PaymentIntent) => boolean,
): Promise<RefundResult> {
  const { reference } = request;
  const paid = isIntentId(reference)
    ? await stripe.paymentIntents.retrieve(reference)
    : await stripe.checkout.sessions.retrieve(reference);
  const intent = paid.object === 'payment_intent' ? paid.id : idOf(paid.payment_intent);
  const amount = stripeAmount(request.amount);
  if (intent === null || amount === undefined || !fits(paid)) {
    return { status: 'failed', reference: null };
  }
  const { data: former } = await stripe.refunds.list({ payment_intent: intent, limit: PAGE });

  const given = former.filter((refund) => refund.status === 'succeeded');
  const total = given.reduce((sum, refund) => sum + refund.amount, 0);
  if (total >= amount) return { status: 'succeeded', reference: given[0]?.id ?? null };
  const underWay = former.find((refund) => resultOfRefund(refund).status === 'pending');
  if (underWay) return resultOfRefund(underWay);

  const failures = former.length - given.length;
  if (failures >= MOST_FAILURES) return { status: 'failed', reference: null };

  // Excludes any part that was already refunded by hand.
  const created = await stripe.refunds.create(
    {
      payment_intent: intent,
      amount: amount - total,
      metadata: { payment_id: request.paymentId },
    },
    { idempotencyKey: `refund-${request.paymentId}-${failures}` },
  );
  return resultOfRefund(created);
}

/** Returns whether a payment's reference is an intent without a page: the charge of a stored card. */
export function isIntentId(reference: string): boolean {
  return reference.startsWith('pi_');
}

export function resultOfRefund(refund: Stripe.Refund): RefundResult {
  const reference = refund.id;
  if (refund.status === 'succeeded') return { status: 'succeeded', reference };
  if (refund.status === 'failed' || refund.status === 'canceled') {
    return { status: 'failed', reference };
  }
  return { status: 'pending', reference };
}

/** Returns the ID of an object, expanded or not. */
export function idOf(object: string | { id: string } | null): string | null {
  return typeof object === 'object' ? (object?.id ?? null) : object;
}
