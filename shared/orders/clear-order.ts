import { recordEvents } from '../events/record-events.ts';
import { enqueue } from '../outbox/enqueue.ts';
import type { Tx } from '../platform/db.ts';
import type { Runtime } from '../runtime.ts';
import { moveOrder } from './move-order.ts';
import { orderEvent } from './order.events.ts';
import { startTransferJobs } from './order.jobs.ts';
import type { Order } from './order.ts';

/**
 * Ends a manual review well: the order goes on as if it had never been held.
 * @throws not_found, conflict (invalid_state)
 */
export async function approveOrder(
  tx: Tx,
  { config, clock }: Pick<Runtime, 'config' | 'clock'>,
  orderId: string,
): Promise<Order> {
  const now = clock.now();
  const order = await moveOrder(tx, orderId, 'clear', { now });
  await enqueue(tx, startTransferJobs(config, order, now), now);
  await recordEvents(tx, order, [orderEvent('order.manual_review_cleared', order)], now);
  return order;
}
