import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Dispute, DisputeState } from '../../money/payments/dispute.ts';
import { findPayment } from '../../money/payments/payment-lifecycle.ts';
import { isDisputed, recordDispute } from '../../money/payments/record-dispute.ts';
import type { Config } from '../../platform/config/config.ts';
import { approveOrder, PAYMENT_DISPUTED } from '../orders/manual-review.ts';
import { addTimelineEntry, lockOrderById } from '../orders/move-order.ts';
import type { Order } from '../orders/order.ts';
import { holdOrder } from '../orders/screen-order.ts';
import { refundReturned } from '../refunds/returned-payment.ts';
import { secureDomain } from '../refunds/secure-domain.ts';
import { disputeEvent } from './dispute.events.ts';

/**
 * Applies a provider's report about a dispute of a checkout's payment, in any order and any number of times. While the
 * dispute is open, payouts with its order's commission are held, and so is an order whose transfer has not begun, and
 * the buyer can neither sell the domain here nor move it. If it is lost over the whole price, the order is refunded,
 * since the bank returned the money. Staff settle partial ones.
 */
export async function applyDispute(
  { db, config }: { db: Database; config: Config },
  paymentId: string,
  state: DisputeState,
): Promise<void> {
  // The owner and the order of a payment never change once it is disputed.
  const known = await findPayment(db.knex, paymentId);
  if (!known || known.partnerId === null) return;
  await db.transactFor(known.partnerId, async (uow) => {
    const order = known.orderId === null ? undefined : await lockOrderById(uow, known.orderId);
    const change = await recordDispute(uow, known, state);
    if (!change || !order) return;
    const { dispute, opened, closed } = change;
    if (opened) await tell(uow, 'order.disputed', order, dispute);
    if (opened && !closed && isWaiting(order)) await holdOrder(uow, order.id, PAYMENT_DISPUTED);
    if (opened && !closed) await secureDomain(uow, order);
    if (closed) await tell(uow, 'order.dispute_closed', order, dispute);
    if (closed && dispute.status !== 'lost') await release(uow, config, order);
    if (dispute.status === 'lost' && dispute.amount.equals(order.price)) {
      await refundReturned(uow, order, {
        reason: dispute.reason === 'fraudulent' ? 'fraudulent' : 'other',
        note: `Dispute ${dispute.reference} was lost`,
      });
    }
  });
}

/** Whether the transfer of an order has not begun. */
function isWaiting({ status }: Order): boolean {
  return status === 'EXTERNALLY_PAID' || status === 'PAID' || status === 'MANUAL_REVIEW';
}

/** Approves an order that was only waiting for its disputes to end. */
async function release(uow: UnitOfWork, config: Config, order: Order): Promise<void> {
  const { id, status, reviewReasons } = order;
  const isHeld = status === 'MANUAL_REVIEW' && reviewReasons.includes(PAYMENT_DISPUTED);
  if (!isHeld || reviewReasons.some((each) => each !== PAYMENT_DISPUTED)) return;
  if (!(await isDisputed(uow.sql, { orderId: id }))) await approveOrder(uow, { config }, id);
}

async function tell(
  uow: UnitOfWork,
  event: 'order.disputed' | 'order.dispute_closed',
  order: Order,
  dispute: Dispute,
): Promise<void> {
  const note = event === 'order.disputed' ? dispute.reason : dispute.status;
  await addTimelineEntry(uow, order.id, { at: uow.now, event, note });
  uow.events.add(order, disputeEvent(event, order, dispute));
}
