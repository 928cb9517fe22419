import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import {
  findPayment,
  recordPartialReturn,
  recordPaymentReturned,
} from '../../money/payments/payment-lifecycle.ts';
import { formatMoney, type Money } from '../../platform/money.ts';
import { PAYMENT_REVIEW } from '../orders/manual-review.ts';
import { addTimelineEntry, lockOrderById } from '../orders/move-order.ts';
import type { Order } from '../orders/order.ts';
import { isBeingStopped } from '../transfers/cancel-transfer.ts';
import { confirmDeliveryIfGone } from '../transfers/deliver-domain.ts';
import type { RefundReason } from './refund.ts';
import { refundOrder } from './refund-order.ts';

/**
 * Refunds the order of a payment that was refunded in full by hand at the provider, any number of times. Returns false
 * if staff must do it, which the order's timeline then says.
 */
export async function applyOrderReturn(
  { db }: { db: Database },
  paymentId: string,
): Promise<boolean> {
  const payment = await findPayment(db.knex, paymentId);
  if (!payment?.orderId || payment.partnerId === null) return false;
  const { orderId, partnerId } = payment;
  return db.transactFor(partnerId, async (uow) => {
    const order = await lockOrderById(uow, orderId);
    const isNew = await recordPaymentReturned(uow, paymentId);
    // The provider ends its review with the refund, and tells us in the next notification.
    if (order.status === 'MANUAL_REVIEW' && order.reviewReasons.includes(PAYMENT_REVIEW))
      return true;
    const note = 'The payment was refunded by hand at its provider';
    const isDone = await refundReturned(uow, order, { reason: 'other', note });
    if (!isDone && isNew) {
      await addTimelineEntry(uow, orderId, { at: uow.now, event: 'payment.returned', note });
    }
    return isDone;
  });
}

/**
 * Records that a part of a payment was refunded by hand at the provider, `total` so far, and adds it to the timeline of
 * its order: staff decide what it means. Returns false and changes nothing if that much is known, or if all is refunded
 * or about to be.
 */
export async function applyPartialReturn(
  { db }: { db: Database },
  paymentId: string,
  total: Money,
): Promise<boolean> {
  const payment = await findPayment(db.knex, paymentId);
  if (!payment) return false;
  const { orderId, partnerId, amount } = payment;
  if (orderId === null || partnerId === null) {
    return db.transact((uow) => recordPartialReturn(uow, paymentId, total));
  }
  return db.transactFor(partnerId, async (uow) => {
    await lockOrderById(uow, orderId);
    if (!(await recordPartialReturn(uow, paymentId, total))) return false;
    const note = `${formatMoney(total)} of ${formatMoney(amount)} was refunded by hand at the payment provider; staff refund the order to return the rest, or record this part in their accounts, since the ledger keeps the full price`;
    await addTimelineEntry(uow, orderId, {
      at: uow.now,
      event: 'payment.partially_returned',
      note,
    });
    return true;
  });
}

/**
 * Refunds an order whose buyer already has the price back, unless it is refunded or about to be, so that the money is
 * not returned twice. Returns false for a domain that has left us and is on legal hold: staff handle it.
 */
export async function refundReturned(
  uow: UnitOfWork,
  order: Order,
  { reason, note }: { reason: RefundReason; note: string },
): Promise<boolean> {
  const { id: orderId, status } = order;
  if (status === 'REFUNDED' || status === 'CANCELLED') return true;
  if (await isBeingStopped(uow, orderId)) return true;
  // A domain that the registrar has moved is confirmed, then clawed back.
  if ((await confirmDeliveryIfGone(uow, orderId)) === 'held') return false;
  await refundOrder(uow, { orderId, kind: 'by_state', reason, note, requestedBy: 'provider' });
  return true;
}
