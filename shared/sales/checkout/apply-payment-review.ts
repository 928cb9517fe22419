import type { Database } from '../../messaging/unit-of-work/database.ts';
import { findPayment } from '../../money/payments/payment-lifecycle.ts';
import type { ReviewOutcome } from '../../money/payments/payment-provider.ts';
import type { Config } from '../../platform/config/config.ts';
import { approveOrder, PAYMENT_REVIEW } from '../orders/manual-review.ts';
import { lockOrderById } from '../orders/move-order.ts';
import { refundOrder } from '../refunds/refund-order.ts';

/**
 * Applies the result of the provider's review of a payment, any number of times. Approved: an order that only waited
 * for it continues. Refused: the order is canceled, since the provider refunded the buyer. Does nothing if staff
 * have already decided.
 */
export async function applyPaymentReview(
  { db, config }: { db: Database; config: Config },
  paymentId: string,
  outcome: ReviewOutcome,
): Promise<void> {
  const payment = await findPayment(db.knex, paymentId);
  if (!payment?.orderId || payment.partnerId === null || outcome === 'other') return;
  const { orderId } = payment;
  await db.transactFor(payment.partnerId, async (uow) => {
    const { status, reviewReasons } = await lockOrderById(uow, orderId);
    if (status !== 'MANUAL_REVIEW' || !reviewReasons.includes(PAYMENT_REVIEW)) return;
    if (outcome === 'approved') {
      // An order that one of our own rules also holds waits for staff.
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
