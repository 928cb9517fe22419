import { recordEvents } from '../../delivery/events/record-events.ts';
import { enqueue } from '../../delivery/jobs/enqueue.ts';
import type { Tx } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import { lockOrderById, moveOrder } from '../orders/move-order.ts';
import { ORDER_MOVES, type Order, type OrderStatus, orderEvent } from '../orders/order.ts';
import { assertNoPendingRefund, moveTransfer } from './move-transfer.ts';
import { pushTransferJob } from './transfer.jobs.ts';
import { insertTransfer, lockTransfer } from './transfer.store.ts';

/**
 * Starts the delivery of a paid order: its move, its transfer and the job that pushes it.
 * @throws not_found, conflict (invalid_state)
 */
export async function startTransfer(
  tx: Tx,
  { clock }: Pick<Runtime, 'clock'>,
  orderId: string,
): Promise<Order> {
  const now = clock.now();
  const order = await moveOrder(tx, orderId, 'start_transfer', { now });
  await insertTransfer(tx, {
    id: newId('transfer', now),
    orderId,
    partnerId: order.partnerId,
    environment: order.environment,
    status: 'queued',
    method: 'push',
    registrar: null,
    attempts: 0,
    reason: null,
    cancellation: null,
    createdAt: now,
    updatedAt: now,
  });
  await enqueue(tx, [pushTransferJob({ orderId, attempt: 1 }, now)], now);
  await recordEvents(tx, order, [orderEvent('order.transfer_started', order)], now);
  return order;
}

/** The same for the automatic policy: an order that somebody moved on meanwhile is left alone. @throws not_found */
export async function startTransferIfPaid(
  tx: Tx,
  runtime: Pick<Runtime, 'clock'>,
  orderId: string,
): Promise<void> {
  const order = await lockOrderById(tx, orderId);
  const from: readonly OrderStatus[] = ORDER_MOVES.start_transfer.from;
  if (from.includes(order.status)) await startTransfer(tx, runtime, orderId);
}

/**
 * Pushes a failed or stuck transfer once more, under a new reference at the registrar.
 * @throws not_found, conflict (invalid_state)
 */
export async function retryTransfer(
  tx: Tx,
  { clock }: Pick<Runtime, 'clock'>,
  orderId: string,
): Promise<Order> {
  const now = clock.now();
  const order = await lockOrderById(tx, orderId);
  const stuck = await lockTransfer(tx, orderId);
  assertNoPendingRefund(stuck);
  const { transfer } = await moveTransfer(tx, order, stuck, 'retry', { now });
  await enqueue(tx, [pushTransferJob({ orderId, attempt: transfer.attempts + 1 }, now)], now);
  return order;
}
