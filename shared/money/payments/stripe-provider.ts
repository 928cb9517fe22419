import type { Stripe } from 'stripe';
import type { Clock } from '../../platform/clock.ts';
import { fail } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type {
  ExpectedPayment,
  PaymentNotification,
  PaymentProvider,
  PaymentRequest,
  PaymentState,
} from './payment-provider.ts';
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
  const scope = { ...options, stripe, live: isLiveKey(options.secretKey) };
  return {
    name: 'stripe',
    collects: 'redirect',
    carries: (amount) => stripeAmount(amount) !== undefined,
    keepsCards: false,
    begin: (request) => begin(scope, request),
    charge: async () => FAILED,
    forgetCard: async () => {},
    async confirm(reference, approved, expected) {
      if (!approved) await closePage(stripe, reference);
      return read(scope, reference, expected);
    },
    read: (reference, expected) => read(scope, reference, expected),
    async refund(request) {
      const isOurs = (session: Session) => isExpected(scope, session, request);
      const result = await refundAtStripe(stripe, request, isOurs).catch((error: unknown) =>
        logRejected(scope, error, request, 'refund refused'),
      );
      return result ?? { status: 'failed', reference: null };
    },
    payOut: (request) => payOutAtStripe(stripe, request),
    canBePaid: (account) => canBePaidAtStripe(stripe, account),
    async readNotification(rawBody, headers, find) {
      const event = ownEvent(scope, rawBody, headers['stripe-signature']);
      return event && (payoutReturnOf(event) ?? readPaymentEvent(scope, event, find));
    },
  };
}

type Session = Stripe.Checkout.Session;
type Scope = StripeOptions & { stripe: Stripe; live: boolean };

const FAILED = { status: 'failed', reference: null, code: 'processing_error' } as const;

async function begin(scope: Scope, request: PaymentRequest): Promise<PaymentState> {
  const amount = stripeAmount(request.amount);
  if (amount === undefined) {
    scope.log.error({ payment_id: request.paymentId }, 'Stripe cannot carry this amount exactly');
    return FAILED;
  }
  const session = await scope.stripe.checkout.sessions
    .create(sessionParams(request, amount), { idempotencyKey: request.paymentId })
    .catch((error: unknown) => logRejected(scope, error, request, 'payment refused'));
  return session ? stateOfExpected(scope, session, request) : FAILED;
}

async function read(
  scope: Scope,
  reference: string,
  expected: ExpectedPayment,
): Promise<PaymentState> {
  // Without an answer to `begin` nobody has seen the page, so nobody can pay there.
  if (isId('payment', reference)) return FAILED;
  const expand = ['payment_intent.review'];
  const session = await unlessMissing(
    scope.stripe.checkout.sessions.retrieve(reference, { expand }),
  );
  return session ? stateOfExpected(scope, session, expected) : FAILED;
}

function stateOfExpected(scope: Scope, session: Session, expected: ExpectedPayment): PaymentState {
  if (isExpected(scope, session, expected)) return stateOfSession(session);
  throw fail('service_unavailable', {
    message: 'This payment has to be looked at. Contact the marketplace before you pay again.',
    cause: new Error('Stripe: the session does not fit the payment'),
  });
}

/** Whether a session is the one that was asked for. */
function isExpected(scope: Scope, session: Session, expected: ExpectedPayment): boolean {
  return fits(scope, session.id, expected, mismatchOf(session, expected, scope.live));
}

/** An answer that does not fit its payment is for people to look at. */
function fits(
  { log }: Scope,
  reference: string,
  { paymentId }: ExpectedPayment,
  mismatch: string | null,
): boolean {
  if (mismatch === null) return true;
  const about = { payment_id: paymentId, reference, mismatch };
  log.error(about, 'an answer of Stripe does not fit its payment: it was not taken');
  return false;
}

/** The event of a notification; null when it is not for this account. @throws ServiceError validation_error */
function ownEvent(scope: Scope, rawBody: Buffer, signature?: string): Stripe.Event | null {
  const { stripe, webhookSecret, clock, log, live } = scope;
  const event = verifiedEvent(stripe, webhookSecret, { rawBody, signature, now: clock.now() });
  const mismatch = strangerOf(event, live);
  if (mismatch === null) return event;
  const about = { event: event.id, mismatch };
  log.error(about, 'a notification of Stripe is not for this account: it was not taken');
  return null;
}

async function readPaymentEvent(
  scope: Scope,
  event: Stripe.Event,
  find: (paymentId: string) => Promise<ExpectedPayment | undefined>,
): Promise<PaymentNotification | null> {
  const expand = ['review'];
  const notification = await notificationOf(event, (intent) =>
    unlessMissing(scope.stripe.paymentIntents.retrieve(intent, { expand })),
  );
  const expected = notification && (await find(notification.paymentId));
  if (!expected) return null;
  const mismatch = eventMismatch(event, expected, scope.live);
  return fits(scope, event.id, expected, mismatch) ? notification : null;
}

/** Logs that Stripe refused a request. @throws ServiceError service_unavailable for any other error */
function logRejected(
  { log }: Scope,
  error: unknown,
  about: ExpectedPayment,
  message: string,
): null {
  if (!isRejectedRequest(error)) throw stripeUnavailable(error);
  log.warn({ payment_id: about.paymentId, stripe_error: describeStripeError(error) }, message);
  return null;
}

/** Why an event cannot be about our own account: the other mode, or the account of a partner. */
function strangerOf(event: Stripe.Event, live: boolean): 'livemode' | 'account' | null {
  if (event.livemode !== live) return 'livemode';
  return event.account === undefined ? null : 'account';
}

/** What Stripe answers; null when it has no such object. */
async function unlessMissing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isMissing(error)) return null;
    throw stripeUnavailable(error);
  }
}

/** Ends a page that nobody has paid on; one that was paid or has run out stays as it is. */
async function closePage(stripe: Stripe, reference: string): Promise<void> {
  try {
    await stripe.checkout.sessions.expire(reference);
  } catch (error) {
    if (!isRejectedRequest(error)) throw stripeUnavailable(error);
  }
}
