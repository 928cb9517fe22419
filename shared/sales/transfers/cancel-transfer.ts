import type { NewEvent } from '../../delivery/events/event.ts';
import { enqueue } from '../../delivery/jobs/enqueue.ts';
import type { Tx } from '../../platform/database/database.ts';
import { conflict } from '../../platform/errors.ts';
import type { Order } from '../orders/order.ts';
import { moveTransfer } from './move-transfer.ts';
import { stopPushJob } from './transfer.jobs.ts';
import { lockTransfer, setCancellation } from './transfer.store.ts';
import { type Cancellation, canMove, mayBePushing, type Transfer } from './transfer.ts';

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

// How the cancellation of a push ends that a refund waits for. The order must be locked.

/**
 * The registrar has stopped the push: the transfer is cancelled. Returns the events for the caller to record,
 * last; undefined, and no change, when nothing waits for this any more.
 */
export async function completeCancellation(
  tx: Tx,
  order: Order,
  now: Date,
): Promise<NewEvent[] | undefined> {
  const transfer = await lockTransfer(tx, order.id);
  if (!isAwaitingRegistrar(transfer)) return undefined;
  await setCancellation(tx, transfer.id, null, now);
  const at = { now, reason: 'order_refunded' };
  return (await moveTransfer(tx, order, transfer, 'cancel', at)).events;
}

/**
 * Nobody can stop the push any more, or knows: staff must decide. After `too_late` the transfer stands where
 * the registrar has moved the domain. False, and no change, when nothing waits for this any more.
 */
export async function escalateCancellation(
  tx: Tx,
  order: Order,
  cause: Exclude<Cancellation, 'requested'>,
  now: Date,
): Promise<boolean> {
  const transfer = await lockTransfer(tx, order.id);
  if (!isAwaitingRegistrar(transfer)) return false;
  // A worker of a version that knew no held refunds may have moved it there already.
  if (cause === 'too_late' && transfer.status !== 'awaiting_confirmation') {
    await moveTransfer(tx, order, transfer, 'await_confirmation', { now });
  }
  await setCancellation(tx, transfer.id, cause, now);
  return true;
}

/**
 * Staff refunds although the push may have done its work. What the registrar moved is a completed transfer;
 * any other one is cancelled, and the registrar is asked anew to stop its push, which may still be open there.
 * Returns the events for the caller to record, last.
 * @throws conflict (invalid_state) when no decision is due
 */
export async function endTransferForRefund(tx: Tx, order: Order, now: Date): Promise<NewEvent[]> {
  const transfer = await lockAwaitingDecision(tx, order);
  await setCancellation(tx, transfer.id, null, now);
  const name = transfer.status === 'awaiting_confirmation' ? 'complete' : 'cancel';
  if (name === 'cancel') {
    const push = { orderId: order.id, attempt: transfer.attempts };
    await enqueue(tx, [stopPushJob(push, transfer.id, now)], now);
  }
  const at = { now, reason: name === 'cancel' ? 'order_refunded' : null };
  return (await moveTransfer(tx, order, transfer, name, at)).events;
}

/**
 * Staff delivers after all. A domain that the registrar has moved waits for its confirmation again; any other
 * transfer needs action, from where it is pushed again or confirmed. Returns which, and the events for the
 * caller to record, last.
 * @throws conflict (invalid_state) when no decision is due
 */
export async function resumeTransfer(
  tx: Tx,
  order: Order,
  now: Date,
): Promise<{ arrived: boolean; events: NewEvent[] }> {
  const transfer = await lockAwaitingDecision(tx, order);
  await setCancellation(tx, transfer.id, null, now);
  if (transfer.status === 'awaiting_confirmation') return { arrived: true, events: [] };
  if (!canMove('require_action', transfer.status)) return { arrived: false, events: [] };
  // A push that was queued has a number by which the registrar was told to refuse it: the next one is another.
  const attempts = transfer.status === 'queued' ? transfer.attempts + 1 : transfer.attempts;
  const at = { now, reason: 'refund_declined', attempts };
  const { events } = await moveTransfer(tx, order, transfer, 'require_action', at);
  return { arrived: false, events };
}

/** Whether the registrar's word still counts: not once it has said that it is too late. */
function isAwaitingRegistrar(transfer: Transfer | undefined): transfer is Transfer {
  return transfer?.cancellation === 'requested' || transfer?.cancellation === 'unanswered';
}

async function lockAwaitingDecision(tx: Tx, order: Order): Promise<Transfer> {
  const transfer = await lockTransfer(tx, order.id);
  if (transfer?.cancellation === 'too_late' || transfer?.cancellation === 'unanswered') {
    return transfer;
  }
  throw conflict(
    'invalid_state',
    transfer?.cancellation === 'requested'
      ? 'The registrar is still being asked to stop the push. Decide when it has answered, or when it has not for long.'
      : `The order is ${order.status} and has no refund that waits for a decision.`,
  );
}
