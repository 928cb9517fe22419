import type { Stripe } from 'stripe';
import type { Clock } from '../../platform/clock.ts';
import { fail } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import type { Cents } from '../../platform/money.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type {
  ChargeRequest,
  ExpectedPayment,
  PaymentNotification,
  PaymentProvider,
  PaymentRequest,
  PaymentState,
} from './payment-provider.ts';
import { stripeAmount } from './stripe-amount.ts';
import { chargeParams, detachAtStripe, findCharge } from './stripe-charge.ts';
import {
  cardErrorOf,
  createStripeClient,
  describeStripeError,
  isIdempotencyError,
  isMissing,
  isRejectedRequest,
  type StripeAccess,
  stripeUnavailable,
} from './stripe-client.ts';
import { cardNewsOf, declineOf, mismatchOf, stateOfIntent } from './stripe-intent.ts';
import { eventMismatch, notificationOf, verifiedEvent } from './stripe-notification.ts';
import { canBePaidAtStripe, payOutAtStripe, payoutReturnOf } from './stripe-payout.ts';
import { isIntentId, refundAtStripe } from './stripe-refund.ts';
import { isLiveKey, sessionParams, stateOfSession } from './stripe-session.ts';

export interface StripeOptions extends StripeAccess {
  webhookSecret: string;
  clock: Clock;
  log: Logger;
}

/**
 * Creates the Stripe provider. It uses Checkout Sessions: the buyer pays on Stripe's page and can store a card there
 * for off-session charges. A payment's reference is the ID of its session, or of the payment intent of such a charge.
 * @throws ServiceError service_unavailable from every call without a response
 */
export function createStripeProvider(options: StripeOptions): PaymentProvider {
  const stripe = createStripeClient(options);
  const scope = { ...options, stripe, live: isLiveKey(options.secretKey) };
  return {
    name: 'stripe',
    collects: 'redirect',
    carries: (amount) => stripeAmount(amount) !== undefined,
    keepsCards: true,
    begin: (request) => begin(scope, request),
    charge: (request) => charge(scope, request),
    forgetCard: ({ token }) => detachAtStripe(stripe, token),
    async confirm(reference, approved, expected) {
      if (!approved) await closePage(stripe, reference);
      return read(scope, reference, expected);
    },
    read: (reference, expected) => read(scope, reference, expected),
    async refund(request) {
      const isOurs = (paid: Answer) => isExpected(scope, paid, request);
      const result = await refundAtStripe(stripe, request, isOurs).catch((error: unknown) =>
        logRejected(scope, error, request, 'refund refused'),
      );
      return result ?? { status: 'failed', reference: null };
    },
    payOut: (request) => payOutAtStripe(stripe, request),
    canBePaid: (account) => canBePaidAtStripe(stripe, account),
    async readNotification(rawBody, headers, find) {
      const event = ownEvent(scope, rawBody, headers['stripe-signature']);
      const other = event && (payoutReturnOf(event) ?? cardNewsOf(event));
      return event && (other ?? readPaymentEvent(scope, event, find));
    },
  };
}

/** A payment at Stripe: a page, or the charge of a stored card. */
type Answer = Stripe.Checkout.Session | Stripe.PaymentIntent;
type Scope = StripeOptions & { stripe: Stripe; live: boolean };

/** The parts to expand when reading an intent. */
const INTENT_PARTS = ['review', 'payment_method'];

const FAILED = { status: 'failed', reference: null, code: 'processing_error' } as const;

async function begin(scope: Scope, request: PaymentRequest): Promise<PaymentState> {
  const amount = exactAmount(scope, request);
  if (amount === undefined) return FAILED;
  const session = await scope.stripe.checkout.sessions
    .create(sessionParams(request, amount), { idempotencyKey: request.paymentId })
    .catch((error: unknown) => logRejected(scope, error, request, 'payment refused'));
  return session ? stateOfExpected(scope, session, request) : FAILED;
}

async function charge(scope: Scope, request: ChargeRequest): Promise<PaymentState> {
  const amount = exactAmount(scope, request);
  if (amount === undefined) return FAILED;
  try {
    const params = chargeParams(request, amount);
    const idempotencyKey = request.paymentId;
    const intent = await scope.stripe.paymentIntents.create(params, { idempotencyKey });
    return stateOfExpected(scope, intent, request);
  } catch (error) {
    const declined = cardErrorOf(error);
    if (declined) {
      const reference = declined.payment_intent?.id ?? null;
      return { status: 'failed', reference, code: declineOf(declined) };
    }
    // A charge with the same key may still be in progress.
    if (isIdempotencyError(error)) throw stripeUnavailable(error);
    return logRejected(scope, error, request, 'charge of a kept card refused') ?? FAILED;
  }
}

function exactAmount({ log }: Scope, { paymentId, amount }: ExpectedPayment): Cents | undefined {
  const exact = stripeAmount(amount);
  if (exact === undefined) {
    log.error({ payment_id: paymentId }, 'Stripe cannot carry this amount exactly');
  }
  return exact;
}

async function read(
  scope: Scope,
  reference: string,
  expected: ExpectedPayment,
): Promise<PaymentState> {
  const answer = await readAnswer(scope.stripe, reference, expected.customer ?? null);
  return answer ? stateOfExpected(scope, answer, expected) : FAILED;
}

/** Reads a payment from Stripe by its reference, or by our payment ID if the response was lost. */
async function readAnswer(
  stripe: Stripe,
  reference: string,
  customer: string | null,
): Promise<Answer | null> {
  if (isId('payment', reference)) {
    // If `begin` got no response, nobody has seen the page, so nobody can pay there.
    return customer === null ? null : ((await findCharge(stripe, customer, reference)) ?? null);
  }
  if (isIntentId(reference)) {
    return unlessMissing(stripe.paymentIntents.retrieve(reference, { expand: INTENT_PARTS }));
  }
  const expand = INTENT_PARTS.map((part) => `payment_intent.${part}`);
  return unlessMissing(stripe.checkout.sessions.retrieve(reference, { expand }));
}

function stateOfExpected(scope: Scope, answer: Answer, expected: ExpectedPayment): PaymentState {
  if (isExpected(scope, answer, expected)) {
    return answer.object === 'payment_intent' ? stateOfIntent(answer) : stateOfSession(answer);
  }
  throw fail('service_unavailable', {
    message: 'This payment needs to be checked. Contact the marketplace before you pay again.',
    cause: new Error('Stripe: the answer does not fit the payment'),
  });
}

/** Returns whether a response matches the requested payment. */
function isExpected(scope: Scope, answer: Answer, expected: ExpectedPayment): boolean {
  return fits(scope, answer.id, expected, mismatchOf(answer, expected, scope.live));
}

/** Returns whether there is no mismatch; logs one for people to investigate. */
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

/** Verifies a notification and returns its event; null if it is not for this account. @throws validation_error */
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
  const notification = await notificationOf(event, (intent) =>
    unlessMissing(scope.stripe.paymentIntents.retrieve(intent, { expand: INTENT_PARTS })),
  );
  const expected = notification && (await find(notification.paymentId));
  if (!expected) return null;
  // Notifications of a page cover its intent.
  if (event.type.startsWith('payment_intent.') && typeof expected.customer !== 'string')
    return null;
  const mismatch = eventMismatch(event, expected, scope.live);
  return fits(scope, event.id, expected, mismatch) ? notification : null;
}

/** Logs that Stripe rejected a request. @throws ServiceError service_unavailable for any other error */
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

/** Returns why an event is not about our own account: the other mode, or a partner's account. */
function strangerOf(event: Stripe.Event, live: boolean): 'livemode' | 'account' | null {
  if (event.livemode !== live) return 'livemode';
  return event.account === undefined ? null : 'account';
}

/** Returns Stripe's response; null if the object does not exist. */
async function unlessMissing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isMissing(error)) return null;
    throw stripeUnavailable(error);
  }
}

/** Closes an unpaid page; leaves a paid or expired page unchanged. */
async function closePage(stripe: Stripe, reference: string): Promise<void> {
  try {
    await stripe.checkout.sessions.expire(reference);
  } catch (error) {
    if (!isRejectedRequest(error)) throw stripeUnavailable(error);
  }
}
