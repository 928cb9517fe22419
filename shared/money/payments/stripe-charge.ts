import type { Stripe } from 'stripe';
import { addMs, HOUR } from '../../platform/clock.ts';
import { timeOfId } from '../../platform/ids.ts';
import type { Cents } from '../../platform/money.ts';
import type { ChargeRequest } from './payment-provider.ts';
import { isMissing, isRejectedRequest, stripeUnavailable } from './stripe-client.ts';

/** How far Stripe's clock may lag: an intent's creation time may precede that of its payment ID by this much. */
const CLOCKS_MS = HOUR;
const PAGE = 100;

/**
 * Builds the charge of a stored card: a pure function of the request, as idempotency keys require. Cards only, since
 * any other method may require its owner to act on another page.
 */
export function chargeParams(
  { paymentId, amount, description, card }: ChargeRequest,
  unitAmount: Cents,
): Stripe.PaymentIntentCreateParams {
  return {
    amount: unitAmount,
    currency: amount.currency.toLowerCase(),
    ...(card.customer !== null && { customer: card.customer }),
    payment_method: card.token,
    allowed_payment_method_types: ['card'],
    confirm: true,
    off_session: true,
    description,
    metadata: { payment_id: paymentId },
    expand: ['review'],
  };
}

/**
 * Finds the charge of a stored card whose response was lost; undefined if Stripe never received it. Stripe forgets
 * idempotency keys after a day and its search lags behind, but the list of a customer's intents is current.
 * @throws ServiceError service_unavailable, also if the customer is gone, since the outcome is then unknown
 */
export async function findCharge(
  stripe: Stripe,
  customer: string,
  paymentId: string,
): Promise<Stripe.PaymentIntent | undefined> {
  const since = Math.floor(addMs(timeOfId(paymentId), -CLOCKS_MS).getTime() / 1_000);
  const asked = { customer, created: { gte: since }, limit: PAGE, expand: ['data.review'] };
  try {
    for await (const intent of stripe.paymentIntents.list(asked)) {
      if (intent.metadata.payment_id === paymentId) return intent;
    }
    return undefined;
  } catch (error) {
    throw stripeUnavailable(error);
  }
}

/** Detaches a card from its customer, so that it can no longer be charged; no error if it is already gone. */
export async function detachAtStripe(stripe: Stripe, token: string): Promise<void> {
  try {
    await stripe.paymentMethods.detach(token);
  } catch (error) {
    if (!isMissing(error) && !isRejectedRequest(error)) throw stripeUnavailable(error);
  }
}
