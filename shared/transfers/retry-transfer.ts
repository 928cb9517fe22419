import { lockOrderById } from '../orders/move-order.ts';
import type { Order } from '../orders/order.ts';
import { enqueue } from '../outbox/enqueue.ts';
import type { Tx } from '../platform/db.ts';
import type { Runtime } from '../runtime.ts';
import { assertNoPendingRefund, moveTransfer } from './move-transfer.ts';
import { pushTransferJob } from './transfer.jobs.ts';
import { lockTransfer } from './transfer.store.ts';

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
