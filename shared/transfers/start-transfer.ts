import { recordEvents } from '../events/record-events.ts';
import { lockOrderById, moveOrder } from '../orders/move-order.ts';
import { orderEvent } from '../orders/order.events.ts';
import type { Order } from '../orders/order.ts';
import { ORDER_MOVES, type OrderStatus } from '../orders/order-states.ts';
import { enqueue } from '../outbox/enqueue.ts';
import type { Tx } from '../platform/db.ts';
import { newId } from '../platform/ids.ts';
import type { Runtime } from '../runtime.ts';
import { pushTransferJob } from './transfer.jobs.ts';
import { insertTransfer } from './transfer.store.ts';

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
