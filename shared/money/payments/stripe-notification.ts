import type { Stripe } from 'stripe';
import { invalid } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import type { PaymentNotification } from './payment-provider.ts';
import { resultOfRefund } from './stripe-refund.ts';
import { stateOfSession } from './stripe-session.ts';

/** A notification older than this may be one that somebody kept. */
const TOLERANCE_SECONDS = 300;

/**
 * The event of a notification whose signature holds.
 * @throws ServiceError validation_error
 */
export function verifiedEvent(
  stripe: Stripe,
  webhookSecret: string,
  { rawBody, signature, now }: { rawBody: Buffer; signature: string | undefined; now: Date },
): Stripe.Event {
  try {
    return stripe.webhooks.constructEvent(
      rawBody,
      signature ?? '',
      webhookSecret,
      TOLERANCE_SECONDS,
      undefined,
      now.getTime(),
    );
  } catch {
    // The SDK's message quotes the body.
    const message = 'does not fit the body, or is too old';
    throw invalid([{ path: 'Stripe-Signature', message }]);
  }
}

/** What an event says of a payment of ours; null for everything else, other uses of the account included. */
export function notificationOf(event: Stripe.Event): PaymentNotification | null {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.expired': {
      const paymentId = paymentIdOfSession(event.data.object);
      return paymentId === null ? null : { paymentId, step: stateOfSession(event.data.object) };
    }
    case 'checkout.session.async_payment_failed': {
      const { id: reference } = event.data.object;
      const paymentId = paymentIdOfSession(event.data.object);
      if (paymentId === null) return null;
      return { paymentId, step: { status: 'failed', reference, code: 'card_declined' } };
    }
    case 'charge.refunded': {
      const charge = event.data.object;
      const paymentId = ownPaymentId(charge.metadata.payment_id);
      // A part of the amount, given back by hand, ends nothing.
      if (paymentId === null || !charge.refunded) return null;
      return { paymentId, refund: { status: 'succeeded', reference: null } };
    }
    case 'refund.updated':
    case 'refund.failed': {
      const paymentId = ownPaymentId(event.data.object.metadata?.payment_id);
      return paymentId === null ? null : { paymentId, refund: resultOfRefund(event.data.object) };
    }
    default:
      return null;
  }
}

/** The page that an event is about, if it is about one. */
export function sessionOfEvent(event: Stripe.Event): Stripe.Checkout.Session | null {
  const { object } = event.data;
  return object.object === 'checkout.session' ? object : null;
}

/**
 * The payment that a page was made for. A buyer can write any reference into the address of a payment link of
 * the same account; the metadata only we can.
 */
function paymentIdOfSession(page: Stripe.Checkout.Session): string | null {
  const paymentId = ownPaymentId(page.metadata?.payment_id);
  return page.client_reference_id === paymentId ? paymentId : null;
}

function ownPaymentId(id: string | null | undefined): string | null {
  return id != null && isId('payment', id) ? id : null;
}
