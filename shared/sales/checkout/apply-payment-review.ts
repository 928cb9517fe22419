import type { Database } from '../../messaging/unit-of-work/database.ts';
import { findPayment } from '../../money/payments/payment-lifecycle.ts';
import type { ReviewOutcome } from '../../money/payments/payment-provider.ts';
import type { Config } from '../../platform/config/config.ts';
import { approveOrder, PAYMENT_REVIEW } from '../orders/manual-review.ts';
import { lockOrderById } from '../orders/move-order.ts';
import { refundOrder } from '../refunds/refund-order.ts';

/**
 * Takes in how the provider's review of a payment ended, any number of times: approved, the order that waited for
 * it alone goes on; refused, it is cancelled, since its buyer was given the money back there. Staff may have decided before.
 */
export async function applyPaymentReview(
  { db, config }: { db: Database; config: Config },
  paymentId: string,
  outcome: ReviewOutcome,
): Promise<void> {
  const payment = await findPayment(db.knex, paymentId);
  if (!payment?.orderId || outcome === 'other') return;
  const { orderId } = payment;
  await db.transactFor(payment.partnerId, async (uow) => {
    const { status, reviewReasons } = await lockOrderById(uow, orderId);
    if (status !== 'MANUAL_REVIEW' || !reviewReasons.includes(PAYMENT_REVIEW)) return;
    if (outcome === 'approved') {
      // A rule of ours that holds it, too, is for our own people to decide.
      if (reviewReasons.some((reason) => reason !== PAYMENT_REVIEW)) return;
      await approveOrder(uow, { config }, orderId);
      return;
    }
    await refundOrder(uow, {
      orderId,
      kind: 'cancel',
      reason: 'fraudulent',
      note: 'The payment was refused in its review',
      requestedBy: 'provider',
    });
  });
}
