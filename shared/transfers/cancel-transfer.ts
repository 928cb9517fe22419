import type { NewEvent } from '../events/event.ts';
import type { Order } from '../orders/order.ts';
import { enqueue } from '../outbox/enqueue.ts';
import type { Tx } from '../platform/db.ts';
import { conflict } from '../platform/errors.ts';
import { moveTransfer } from './move-transfer.ts';
import { stopPushJob } from './transfer.jobs.ts';
import { lockTransfer, setCancellation } from './transfer.store.ts';
import { mayBePushing } from './transfer.ts';

/** `cancelled` at once, with events for the caller to record last; or `requested` of the registrar. */
export type TransferEnd = { kind: 'cancelled'; events: NewEvent[] } | { kind: 'requested' };

/**
 * Ends the transfer of an order that is being taken back. When its push may have left, the end is requested:
 * a job asks the registrar to stop the push, and nothing else moves the transfer until that is known or staff
 * decides. The order must be locked.
 * @throws conflict: `invalid_state` when the registrar has moved the domain, `already_refunded` when a refund
 *   waits for the registrar already
 */
export async function cancelTransfer(
  tx: Tx,
  order: Order,
  { refundId, reason, now }: { refundId: string; reason: string; now: Date },
): Promise<TransferEnd> {
  const transfer = await lockTransfer(tx, order.id);
  if (!transfer || transfer.status === 'completed' || transfer.status === 'cancelled') {
    return { kind: 'cancelled', events: [] };
  }
  if (transfer.cancellation !== null) {
    throw conflict(
      'already_refunded',
      'A refund of this order is waiting for the registrar already.',
    );
  }
  if (transfer.status === 'awaiting_confirmation') {
    throw conflict(
      'invalid_state',
      'The registrar has moved the domain, so the order can no longer be refunded before delivery. Once the delivery is confirmed, staff can claw it back.',
    );
  }
  if (!mayBePushing(transfer)) {
    const { events } = await moveTransfer(tx, order, transfer, 'cancel', { now, reason });
    return { kind: 'cancelled', events };
  }
  await setCancellation(tx, transfer.id, 'requested', now);
  const push = { orderId: order.id, attempt: transfer.attempts };
  await enqueue(tx, [stopPushJob(push, refundId, now)], now);
  return { kind: 'requested' };
}
