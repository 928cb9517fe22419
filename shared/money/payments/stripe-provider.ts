import type { Stripe } from 'stripe';
import type { Clock } from '../../platform/clock.ts';
import { fail } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { ExpectedPayment, PaymentProvider, PaymentState } from './payment-provider.ts';
import { stripeAmount } from './stripe-amount.ts';
import {
  createStripeClient,
  describeStripeError,
  isMissing,
  isRejectedRequest,
  type StripeAccess,
  stripeUnavailable,
} from './stripe-client.ts';
import { eventMismatch, notificationOf, verifiedEvent } from './stripe-notification.ts';
import { canBePaidAtStripe, payOutAtStripe, payoutReturnOf } from './stripe-payout.ts';
import { refundAtStripe } from './stripe-refund.ts';
import { isLiveKey, mismatchOf, sessionParams, stateOfSession } from './stripe-session.ts';

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
  const live = isLiveKey(options.secretKey);

  /** Whether a session is the one that was asked for. One that is not is for people to look at. */
  const fits = (session: Stripe.Checkout.Session, expected: ExpectedPayment): boolean => {
    const mismatch = mismatchOf(session, expected, live);
    if (mismatch !== null) reportMismatch(expected, session.id, mismatch);
    return mismatch === null;
  };
  const reportMismatch = (expected: ExpectedPayment, reference: string, mismatch: string) => {
    const about = { payment_id: expected.paymentId, reference, mismatch };
    log.error(about, 'an answer of Stripe does not fit its payment: it was not taken');
  };
  const readIntent = async (intent: string): Promise<Stripe.PaymentIntent | null> => {
    try {
      return await stripe.paymentIntents.retrieve(intent, { expand: ['review'] });
    } catch (error) {
      if (isMissing(error)) return null;
      throw stripeUnavailable(error);
    }
  };
  const stepThatFits = (session: Stripe.Checkout.Session, expected: ExpectedPayment) => {
    if (fits(session, expected)) return stateOfSession(session);
    throw fail('service_unavailable', {
      message: 'This payment has to be looked at. Contact the marketplace before you pay again.',
      cause: new Error('Stripe: the session does not fit the payment'),
    });
  };

  const read = async (reference: string, expected: ExpectedPayment): Promise<PaymentState> => {
    // Without an answer to `begin` nobody has seen the page, so nobody can pay there.
    const unknown = { status: 'failed', reference: null, code: 'processing_error' } as const;
    if (isId('payment', reference)) return unknown;
    const session = await readSession(stripe, reference).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw stripeUnavailable(error);
    });
    return session ? stepThatFits(session, expected) : unknown;
  };

  return {
    name: 'stripe',
    collects: 'redirect',
    carries: (amount) => stripeAmount(amount) !== undefined,
    async begin(request) {
      const failed = { status: 'failed', reference: null, code: 'processing_error' } as const;
      const amount = stripeAmount(request.amount);
      if (amount === undefined) {
        log.error({ payment_id: request.paymentId }, 'Stripe cannot carry this amount exactly');
        return failed;
      }
      let session: Stripe.Checkout.Session;
      try {
        session = await stripe.checkout.sessions.create(sessionParams(request, amount), {
          idempotencyKey: request.paymentId,
        });
      } catch (error) {
        if (!isRejectedRequest(error)) throw stripeUnavailable(error);
        const stripeError = describeStripeError(error);
        log.warn({ payment_id: request.paymentId, stripe_error: stripeError }, 'payment refused');
        return failed;
      }
      return stepThatFits(session, request);
    },
    async confirm(reference, approved, expected) {
      if (!approved) await closePage(stripe, reference);
      return read(reference, expected);
    },
    read,
    async refund(request) {
      try {
        return await refundAtStripe(stripe, request, (session) => fits(session, request));
      } catch (error) {
        if (!isRejectedRequest(error)) throw stripeUnavailable(error);
        const stripeError = describeStripeError(error);
        log.warn({ payment_id: request.paymentId, stripe_error: stripeError }, 'refund refused');
        return { status: 'failed', reference: null };
      }
    },
    payOut: (request) => payOutAtStripe(stripe, request),
    canBePaid: (account) => canBePaidAtStripe(stripe, account),
    async readNotification(rawBody, headers, find) {
      const signature = headers['stripe-signature'];
      const event = verifiedEvent(stripe, webhookSecret, { rawBody, signature, now: clock.now() });
      const stranger = strangerOf(event, live);
      if (stranger !== null) {
        const about = { event: event.id, mismatch: stranger };
        log.error(about, 'a notification of Stripe is not for this account: it was not taken');
        return null;
      }
      const returned = payoutReturnOf(event);
      if (returned) return returned;
      const notification = await notificationOf(event, readIntent);
      const expected = notification && (await find(notification.paymentId));
      if (!expected) return null;
      const mismatch = eventMismatch(event, expected, live);
      if (mismatch === null) return notification;
      reportMismatch(expected, event.id, mismatch);
      return null;
    },
  };
}

/** Why an event cannot be about our own account: the other mode, or the account of a partner. */
function strangerOf(event: Stripe.Event, live: boolean): 'livemode' | 'account' | null {
  if (event.livemode !== live) return 'livemode';
  return event.account === undefined ? null : 'account';
}

function readSession(stripe: Stripe, reference: string): Promise<Stripe.Checkout.Session> {
  return stripe.checkout.sessions.retrieve(reference, { expand: ['payment_intent.review'] });
}

/** Ends a page that nobody has paid on; one that was paid or has run out stays as it is. */
async function closePage(stripe: Stripe, reference: string): Promise<void> {
  try {
    await stripe.checkout.sessions.expire(reference);
  } catch (error) {
    if (!isRejectedRequest(error)) throw stripeUnavailable(error);
  }
}
