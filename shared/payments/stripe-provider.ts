import type { Stripe } from 'stripe';
import type { Clock } from '../platform/clock.ts';
import { isId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import type { PaymentProvider, PaymentStep } from './payment-provider.ts';
import {
  createStripeClient,
  describeStripeError,
  isMissing,
  isRefusal,
  type StripeAccess,
  stripeAway,
} from './stripe-client.ts';
import { notificationOf, verifiedEvent } from './stripe-notification.ts';
import { refundAtStripe } from './stripe-refund.ts';
import { sessionParams, stepOfSession } from './stripe-session.ts';

export interface StripeOptions extends StripeAccess {
  webhookSecret: string;
  clock: Clock;
  log: Logger;
}

/**
 * Stripe, by Checkout Sessions: the buyer pays on Stripe's page. A payment's reference is the id of its
 * session. @throws ServiceError service_unavailable from every call that got no answer
 */
export function createStripeProvider(options: StripeOptions): PaymentProvider {
  const stripe = createStripeClient(options);
  const { log, clock, webhookSecret } = options;

  const read = async (reference: string): Promise<PaymentStep> => {
    // Without an answer to `begin` nobody has seen the page, so nobody can pay there.
    const unknown = { status: 'failed', reference: null, code: 'processing_error' } as const;
    if (isId('payment', reference)) return unknown;
    try {
      return stepOfSession(await readSession(stripe, reference));
    } catch (error) {
      if (isMissing(error)) return unknown;
      throw stripeAway(error);
    }
  };

  return {
    name: 'stripe',
    collects: 'redirect',
    async begin(request) {
      try {
        const session = await stripe.checkout.sessions.create(sessionParams(request), {
          idempotencyKey: request.paymentId,
        });
        return stepOfSession(session);
      } catch (error) {
        if (!isRefusal(error)) throw stripeAway(error);
        const stripeError = describeStripeError(error);
        log.warn({ payment_id: request.paymentId, stripe_error: stripeError }, 'payment refused');
        return { status: 'failed', reference: null, code: 'processing_error' };
      }
    },
    async confirm(reference, approved) {
      if (!approved) await closePage(stripe, reference);
      return read(reference);
    },
    read,
    async refund(request) {
      try {
        return await refundAtStripe(stripe, request);
      } catch (error) {
        if (!isRefusal(error)) throw stripeAway(error);
        const stripeError = describeStripeError(error);
        log.warn({ payment_id: request.paymentId, stripe_error: stripeError }, 'refund refused');
        return { status: 'failed', reference: null };
      }
    },
    async readNotification(rawBody, headers) {
      const signature = headers['stripe-signature'];
      const event = verifiedEvent(stripe, webhookSecret, { rawBody, signature, now: clock.now() });
      return notificationOf(event);
    },
  };
}

function readSession(stripe: Stripe, reference: string): Promise<Stripe.Checkout.Session> {
  return stripe.checkout.sessions.retrieve(reference, { expand: ['payment_intent'] });
}

/** Ends a page that nobody has paid on; one that was paid or has run out stays as it is. */
async function closePage(stripe: Stripe, reference: string): Promise<void> {
  try {
    await stripe.checkout.sessions.expire(reference);
  } catch (error) {
    if (!isRefusal(error)) throw stripeAway(error);
  }
}
