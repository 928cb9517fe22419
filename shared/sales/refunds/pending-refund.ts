import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { isPaymentReturned } from '../../money/payments/payment-lifecycle.ts';
import { findLostDispute } from '../../money/payments/record-dispute.ts';
import { conflict } from '../../platform/errors.ts';
import { lockOrderById } from '../orders/move-order.ts';
import type { Order } from '../orders/order.ts';
import {
  completeCancellation,
  endTransferForRefund,
  escalateCancellation,
  resumeTransfer,
} from '../transfers/cancel-transfer.ts';
import { confirmDelivery } from '../transfers/deliver-domain.ts';
import { readUndecided, updateClosed } from './refund.store.ts';
import type { RefundRequest, UndecidedRefund } from './refund.ts';
import { reverseOrder } from './refund-order.ts';

/**
 * Records the result of asking the registrar to stop the push, once, even if it is reported repeatedly. A stopped
 * push completes the refund, and the domain, which never left, is listed again. Otherwise the refund waits for
 * staff: `too_late` if the domain has left, `unanswered` if the registrar did not answer.
 * @throws not_found
 */
export async function recordCancelPushResult(
  uow: UnitOfWork,
  orderId: string,
  answer: 'cancelled' | 'too_late' | 'unanswered',
): Promise<void> {
  const order = await lockOrderById(uow, orderId);
  if (answer !== 'cancelled') {
    await escalateCancellation(uow, order, answer);
    return;
  }
  if (!(await completeCancellation(uow, order))) return;
  const request = await close(uow, order, 'completed');
  await reverseOrder(uow, order, { kind: 'refund', request, relists: true });
}

/**
 * Completes a pending refund because staff approved it, although the domain may have left. Does not relist the
 * domain: a person has to check whether it has come back.
 * @throws not_found, conflict (invalid_state) when no decision is due
 */
export async function approveRefund(uow: UnitOfWork, orderId: string): Promise<Order> {
  const before = await lockOrderById(uow, orderId);
  await endTransferForRefund(uow, before);
  const request = await close(uow, before, 'completed');
  return (await reverseOrder(uow, before, { kind: 'refund', request })).order;
}

/**
 * Ends a pending refund because staff declined it, and continues the delivery. A domain that the registrar has moved
 * is delivered; otherwise the transfer continues or needs action.
 * @throws not_found, conflict (invalid_state) when no decision is due, or the buyer has the price back
 */
export async function declineRefund(uow: UnitOfWork, orderId: string): Promise<Order> {
  const order = await lockOrderById(uow, orderId);
  const transfer = await resumeTransfer(uow, order);
  const lost = await findLostDispute(uow.sql, { orderId });
  if (lost !== undefined) {
    throw conflict(
      'invalid_state',
      `The dispute ${lost} was lost: the bank has returned the price to the buyer. Approve the refund.`,
    );
  }
  if (await isPaymentReturned(uow.sql, orderId)) {
    throw conflict(
      'invalid_state',
      'The payment was refunded by hand at its provider: the buyer has the price back. Approve the refund.',
    );
  }
  await close(uow, order, 'declined');
  return transfer === 'arrived' ? confirmDelivery(uow, orderId) : order;
}

/** Lists the refunds that wait for a staff decision, longest waiting first. */
export function listRefundsToDecide(
  { db }: { db: Database },
  limit: number,
): Promise<UndecidedRefund[]> {
  return readUndecided(db.knex, limit);
}

async function close(
  uow: UnitOfWork,
  order: Order,
  status: 'completed' | 'declined',
): Promise<RefundRequest> {
  const request = await updateClosed.first(uow.sql, {
    orderId: order.id,
    status,
    now: uow.now,
  });
  if (!request)
    throw new Error(`the transfer of ${order.id} waits for a refund that nobody asked for`);
  return request;
}
