import { recordEvents } from '../../delivery/events/record-events.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import type { Runtime } from '../../runtime.ts';
import { lockOrderById } from '../orders/move-order.ts';
import type { Order } from '../orders/order.ts';
import {
  completeCancellation,
  endTransferForRefund,
  escalateCancellation,
  resumeTransfer,
} from '../transfers/cancel-transfer.ts';
import { confirmDelivery } from '../transfers/confirm-delivery.ts';
import { closeRequest, listUndecided } from './refund.store.ts';
import type { RefundRequest, UndecidedRefund } from './refund.ts';
import { reverseOrder } from './refund-order.ts';

/**
 * Writes down what came of asking the registrar to stop the push, once, however often it is said. A stopped
 * push completes the refund, and the domain, which never left, is listed again. Otherwise the refund waits for
 * staff: `too_late` when the domain has left, `unanswered` when the registrar stayed away.
 * @throws not_found
 */
export async function recordCancelPushResult(
  tx: Tx,
  { clock }: Pick<Runtime, 'clock'>,
  orderId: string,
  answer: 'cancelled' | 'too_late' | 'unanswered',
): Promise<void> {
  const now = clock.now();
  const order = await lockOrderById(tx, orderId);
  if (answer !== 'cancelled') {
    await escalateCancellation(tx, order, answer, now);
    return;
  }
  const transferEvents = await completeCancellation(tx, order, now);
  if (!transferEvents) return;
  const request = await close(tx, order, 'completed', now);
  await reverseOrder(tx, order, { kind: 'refund', request, now, transferEvents, relists: true });
}

/**
 * Staff refunds after all, although the domain may have left. It is not listed again: whether it has come back
 * is for people to see.
 * @throws not_found, conflict (invalid_state) when no decision is due
 */
export async function approveRefund(
  tx: Tx,
  { clock }: Pick<Runtime, 'clock'>,
  orderId: string,
): Promise<Order> {
  const now = clock.now();
  const before = await lockOrderById(tx, orderId);
  const transferEvents = await endTransferForRefund(tx, before, now);
  const request = await close(tx, before, 'completed', now);
  return (await reverseOrder(tx, before, { kind: 'refund', request, now, transferEvents })).order;
}

/**
 * Staff delivers after all: a domain that the registrar has moved counts as delivered; of any other one the
 * transfer needs action.
 * @throws not_found, conflict (invalid_state) when no decision is due
 */
export async function declineRefund(
  tx: Tx,
  runtime: Pick<Runtime, 'clock'>,
  orderId: string,
): Promise<Order> {
  const now = runtime.clock.now();
  const order = await lockOrderById(tx, orderId);
  const { arrived, events } = await resumeTransfer(tx, order, now);
  await close(tx, order, 'declined', now);
  if (arrived) return confirmDelivery(tx, runtime, orderId);
  await recordEvents(tx, order, events, now);
  return order;
}

/** The refunds that wait for a decision of staff, the longest waiting first. */
export function listRefundsToDecide(
  { db }: { db: Database },
  limit: number,
): Promise<UndecidedRefund[]> {
  return listUndecided(db.knex, limit);
}

async function close(
  tx: Tx,
  order: Order,
  status: 'completed' | 'declined',
  now: Date,
): Promise<RefundRequest> {
  const request = await closeRequest(tx, order.id, status, now);
  if (!request)
    throw new Error(`the transfer of ${order.id} waits for a refund that nobody asked for`);
  return request;
}
