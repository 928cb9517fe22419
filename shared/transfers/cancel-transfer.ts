import type { NewEvent } from '../events/event.ts';
import type { Order } from '../orders/order.ts';
import { enqueue } from '../outbox/enqueue.ts';
import type { Tx } from '../platform/db.ts';
import { moveTransfer } from './move-transfer.ts';
import { cancelPushJob } from './transfer.jobs.ts';
import { lockTransfer } from './transfer.store.ts';
import { pushHasLeft } from './transfer.ts';
import { canMove } from './transfer-states.ts';

export interface CancelledTransfer {
  /** Whether the domain may be on its way, or with the partner's registrar. */
  left: boolean;
  /** For the caller to record, last. */
  events: NewEvent[];
}

/**
 * Ends the transfer of an order that is being taken back, if it has one that is not over. When the push
 * had left, a job tries to stop it. The order must be locked.
 */
export async function cancelTransfer(
  tx: Tx,
  order: Order,
  reason: string,
  now: Date,
): Promise<CancelledTransfer> {
  const transfer = await lockTransfer(tx, order.id);
  if (!transfer) return { left: false, events: [] };
  const left = pushHasLeft(transfer);
  if (!canMove('cancel', transfer.status)) return { left, events: [] };
  const { events } = await moveTransfer(tx, order, transfer, 'cancel', { now, reason });
  if (left) {
    const push = { orderId: order.id, attempt: transfer.attempts };
    await enqueue(tx, [cancelPushJob(push, now)], now);
  }
  return { left, events };
}
