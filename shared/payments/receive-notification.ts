import { fail } from '../platform/errors.ts';
import type { Runtime } from '../runtime.ts';
import { findPayment } from './find-payment.ts';
import type { Payment } from './payment.ts';
import type { PaymentNotification, RefundResult } from './payment-provider.ts';
import { recordPaymentRefunded } from './record-refund.ts';
import type { ApplyPaymentState } from './settle-step.ts';

type Scope = Pick<Runtime, 'db' | 'clock' | 'config' | 'payments' | 'log'>;

/**
 * Takes in what Stripe sends by itself. A notification that was taken in before, comes late, or is about no
 * payment of ours changes nothing.
 * @throws not_found while Stripe is not configured, validation_error for a bad signature
 */
export async function receiveStripeNotification(
  runtime: Scope,
  request: { rawBody: Buffer; headers: Record<string, string | undefined> },
  settle: ApplyPaymentState,
): Promise<void> {
  if (runtime.config.paymentsLive !== 'stripe') throw fail('not_found');
  const provider = runtime.payments('LIVE');
  let payment: Payment | undefined;
  const find = async (paymentId: string) => {
    payment = await findPayment(runtime.db.knex, paymentId);
    return payment && { paymentId: payment.id, amount: payment.amount };
  };
  const notification = await provider.readNotification(request.rawBody, request.headers, find);
  if (!notification) return;
  if (payment?.provider !== provider.name || !isAbout(payment, notification)) return;
  if ('step' in notification) await settle(runtime, payment.id, notification.step);
  else await applyRefundNotification(runtime, payment, notification.refund);
}

/** A step speaks of one page; the payment may know a different one. */
function isAbout(payment: Payment, notification: PaymentNotification): boolean {
  if (!('step' in notification)) return true;
  const { reference } = notification.step;
  return payment.providerReference === null || payment.providerReference === reference;
}

async function applyRefundNotification(
  { db, clock, log }: Scope,
  payment: Payment,
  refund: RefundResult,
) {
  const about = { payment_id: payment.id, order_id: payment.orderId };
  if (refund.status === 'failed') {
    log.error(about, 'a refund failed at the provider: the buyer has no money back');
    return;
  }
  if (refund.status === 'pending' || payment.status === 'refunded') return;
  const recorded = await db.transact((tx) =>
    recordPaymentRefunded(tx, payment.id, refund.reference, clock.now()),
  );
  if (!recorded) log.warn(about, 'a payment was given back at the provider, its order was not');
}
