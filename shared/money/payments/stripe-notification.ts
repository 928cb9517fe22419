import type { Stripe } from 'stripe';
import { invalid } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import type { DisputeState, DisputeStatus } from './dispute.ts';
import type { ExpectedPayment, PaymentNotification, ReviewOutcome } from './payment-provider.ts';
import { ourAmount, stripeAmount } from './stripe-amount.ts';
import { mismatchOf, stateOfIntent } from './stripe-intent.ts';
import { idOf, resultOfRefund } from './stripe-refund.ts';
import { stateOfSession } from './stripe-session.ts';

/** Rejects older notifications, which may be replayed. */
const TOLERANCE_SECONDS = 300;

/**
 * Verifies a notification's signature and form, and returns its event.
 * @throws ServiceError validation_error
 */
export function verifiedEvent(
  stripe: Stripe,
  webhookSecret: string,
  { rawBody, signature, now }: { rawBody: Buffer; signature: string | undefined; now: Date },
): Stripe.Event {
  let event: Stripe.Event;
  try {
    event = stripe.webhooks.constructEvent(
      rawBody,
      signature ?? '',
      webhookSecret,
      TOLERANCE_SECONDS,
      undefined,
      now.getTime(),
    );
  } catch {
    // The SDK's error message quotes the body.
    const message = 'does not fit the body, or is too old';
    throw invalid([{ path: 'Stripe-Signature', message }]);
  }
  if (!isEvent(event)) throw invalid([{ path: '', message: 'must be an event of Stripe' }]);
  return event;
}

/** Returns whether a body is an event: a valid signature does not guarantee its form. */
function isEvent(body: unknown): body is Stripe.Event {
  const { type, data } = Object(body);
  const { object } = Object(data);
  return typeof type === 'string' && typeof object === 'object' && object !== null;
}

/**
 * Reads a notification about one of our payments; null for everything else, such as other uses of the account. Events
 * contain only the intent's ID; `readIntent` reads the intent with its review and payment method.
 */
export async function notificationOf(
  event: Stripe.Event,
  readIntent: (intent: string) => Promise<Stripe.PaymentIntent | null>,
): Promise<PaymentNotification | null> {
  const paymentIdOfIntent = async (named: string | { id: string } | null) => {
    const intent = idOf(named);
    return intent === null ? null : ownPaymentId((await readIntent(intent))?.metadata.payment_id);
  };
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.expired': {
      const page = event.data.object;
      const paymentId = paymentIdOfSession(page);
      if (paymentId === null) return null;
      const intent = idOf(page.payment_intent);
      const payment_intent = intent === null ? null : await readIntent(intent);
      return { paymentId, step: stateOfSession({ ...page, payment_intent }) };
    }
    case 'checkout.session.async_payment_failed': {
      const { id: reference } = event.data.object;
      const paymentId = paymentIdOfSession(event.data.object);
      if (paymentId === null) return null;
      return { paymentId, step: { status: 'failed', reference, code: 'card_declined' } };
    }
    case 'payment_intent.succeeded':
    case 'payment_intent.payment_failed': {
      const { id, metadata } = event.data.object;
      const paymentId = ownPaymentId(metadata.payment_id);
      const intent = paymentId === null ? null : await readIntent(id);
      return paymentId === null || intent === null
        ? null
        : { paymentId, step: stateOfIntent(intent) };
    }
    case 'charge.refunded': {
      const charge = event.data.object;
      const paymentId = ownPaymentId(charge.metadata.payment_id);
      if (paymentId === null) return null;
      if (!charge.refunded) return partialRefundOf(paymentId, charge);
      return { paymentId, refund: { status: 'succeeded', reference: null }, isWhole: true };
    }
    case 'refund.updated':
    case 'refund.failed': {
      const paymentId = ownPaymentId(event.data.object.metadata?.payment_id);
      return paymentId === null ? null : { paymentId, refund: resultOfRefund(event.data.object) };
    }
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
    case 'charge.dispute.closed': {
      const dispute = disputeState(event.data.object);
      if (dispute === null) return null;
      const paymentId = await paymentIdOfIntent(event.data.object.payment_intent);
      return paymentId === null ? null : { paymentId, dispute };
    }
    case 'review.closed': {
      const { payment_intent, closed_reason } = event.data.object;
      const paymentId = await paymentIdOfIntent(payment_intent ?? null);
      return paymentId === null ? null : { paymentId, review: outcomeOf(closed_reason) };
    }
    default:
      return null;
  }
}

/** Returns why an event does not match its payment, or null. Refunds and disputes may be partial. */
export function eventMismatch(
  { data: { object } }: Stripe.Event,
  expected: ExpectedPayment,
  live: boolean,
): string | null {
  switch (object.object) {
    case 'payment_intent':
    case 'checkout.session':
      return mismatchOf(object, expected, live);
    case 'charge':
    case 'refund':
    case 'dispute': {
      if (object.currency.toUpperCase() !== expected.amount.currency) return 'currency';
      const most = stripeAmount(expected.amount);
      if (most === undefined) return 'amount';
      const fits = object.object === 'charge' ? object.amount === most : object.amount <= most;
      return fits ? null : 'amount';
    }
    default:
      return null;
  }
}

/** Reads a partial refund, which only people make: our own refunds return all that is left of a payment. */
function partialRefundOf(
  paymentId: string,
  { amount, amount_refunded: refunded, currency }: Stripe.Charge,
): PaymentNotification | null {
  if (!(refunded > 0 && refunded < amount)) return null;
  return { paymentId, partialRefund: ourAmount(refunded, currency) };
}

const DISPUTE_STATUSES: Readonly<Record<string, DisputeStatus>> = {
  warning_needs_response: 'needs_response',
  needs_response: 'needs_response',
  warning_under_review: 'under_review',
  under_review: 'under_review',
  warning_closed: 'withdrawn',
  prevented: 'withdrawn',
  won: 'won',
  lost: 'lost',
};

function outcomeOf(reason: Stripe.Review['closed_reason']): ReviewOutcome {
  if (reason === 'approved') return 'approved';
  return reason === 'refunded' || reason === 'refunded_as_fraud' ? 'refused' : 'other';
}

/** Returns a dispute's state; null during an appeal: a lost dispute stays lost here until people settle it. */
function disputeState(dispute: Stripe.Dispute): DisputeState | null {
  const status = DISPUTE_STATUSES[dispute.status];
  if (status === undefined) return null;
  const due = dispute.evidence_details.due_by;
  return {
    reference: dispute.id,
    status,
    reason: dispute.reason,
    amount: ourAmount(dispute.amount, dispute.currency),
    evidenceDueAt: due === null ? null : new Date(due * 1_000),
  };
}

/**
 * Returns the payment of a page. A buyer can put any reference into the URL of a payment link of
 * the same account; only we can set the metadata.
 */
function paymentIdOfSession(page: Stripe.Checkout.Session): string | null {
  const paymentId = ownPaymentId(page.metadata?.payment_id);
  return page.client_reference_id === paymentId ? paymentId : null;
}

function ownPaymentId(id: string | null | undefined): string | null {
  return id != null && isId('payment', id) ? id : null;
}
