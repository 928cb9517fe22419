import type { Stripe } from 'stripe';
import { addMs, HOUR } from '../../platform/clock.ts';
import { timeOfId } from '../../platform/ids.ts';
import type { Cents } from '../../platform/money.ts';
import type { ChargeRequest } from './payment-provider.ts';
import { isMissing, isRejectedRequest, stripeUnavailable } from './stripe-client.ts';

/** An intent of a payment begins after its id; by so much Stripe's clock may lag. */
const CLOCKS_MS = HOUR;
const PAGE = 100;

/**
 * The charge of a kept card: a pure function of the request, as idempotency keys demand. Cards alone, since every
 * other method may want its owner to go somewhere.
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
 * The charge of a kept card whose answer was lost; undefined when Stripe never got it. Stripe forgets idempotency keys
 * after a day, and its search lags behind; the list of a customer's intents does not.
 * @throws ServiceError service_unavailable, also when the customer is gone, because then nobody knows
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

/** Detaches a card from its customer, so that nobody can charge it any more; one that is gone stays so. */
export async function detachAtStripe(stripe: Stripe, token: string): Promise<void> {
  try {
    await stripe.paymentMethods.detach(token);
  } catch (error) {
    if (!isMissing(error) && !isRejectedRequest(error)) throw stripeUnavailable(error);
  }
}
