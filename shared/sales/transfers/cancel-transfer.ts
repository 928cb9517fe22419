import { forgetRegistrant } from '../../domains/domain-registrants/registered-for.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { conflict } from '../../platform/errors.ts';
import type { Order } from '../orders/order.ts';
import { selectDeliveryForUpdate } from './domain-delivery.store.ts';
import { type Delivery, isCodeOut } from './domain-delivery.ts';
import { moveDelivery } from './move-delivery.ts';
import { moveTransfer } from './move-transfer.ts';
import { stopPushJob } from './transfer.jobs.ts';
import { selectForUpdate, updateCancellation } from './transfer.store.ts';
import { type Cancellation, canMove, mayBePushing, type Transfer } from './transfer.ts';

/** `cancelled` at once, or `requested` of the registrar. */
export type TransferEnd = 'cancelled' | 'requested';

/**
 * Ends the transfer of an order that is being taken back. When its push may have left, the end is requested:
 * a job asks the registrar to stop the push, and nothing else moves the transfer until that is known or staff
 * decides. The order must be locked.
 * @throws conflict: `invalid_state` when the registrar has moved the domain, `already_refunded` when a refund
 *   waits for the registrar already
 */
export async function cancelTransfer(
  uow: UnitOfWork,
  order: Order,
  { refundId, reason }: { refundId: string; reason: string },
): Promise<TransferEnd> {
  const transfer = await selectForUpdate.first(uow.sql, { orderId: order.id });
  if (!transfer || transfer.status === 'completed' || transfer.status === 'cancelled') {
    return 'cancelled';
  }
  if (transfer.cancellation !== null) {
    throw conflict(
      'already_refunded',
      'A refund of this order is waiting for the registrar already.',
    );
  }
  const delivery = await selectDeliveryForUpdate.first(uow.sql, { orderId: order.id });
  if (delivery && !isCodeOut(delivery)) {
    await withdraw(uow, order, transfer, delivery, reason);
    return 'cancelled';
  }
  if (transfer.status === 'awaiting_confirmation' && !delivery) {
    throw conflict(
      'invalid_state',
      'The registrar has moved the domain, so the order can no longer be refunded before delivery. Once the delivery is confirmed, staff can claw it back.',
    );
  }
  if (!mayBePushing(transfer)) {
    await moveTransfer(uow, order, transfer, 'cancel', { reason });
    return 'cancelled';
  }
  await updateCancellation.send(uow.pipeline, {
    id: transfer.id,
    cancellation: 'requested',
    now: uow.now,
  });
  askToStopPush(uow, order, transfer, refundId);
  return 'requested';
}

/** Whether a refund of the order waits for the end of its transfer. The order must be locked. */
export async function isBeingStopped(uow: UnitOfWork, orderId: string): Promise<boolean> {
  const transfer = await selectForUpdate.first(uow.sql, { orderId });
  return transfer !== undefined && transfer.cancellation !== null;
}

// How the cancellation of a push ends that a refund waits for. The order must be locked.

/**
 * The registrar has stopped the push: the transfer is cancelled. False, and no change, when nothing waits for this
 * any more.
 */
export async function completeCancellation(uow: UnitOfWork, order: Order): Promise<boolean> {
  const transfer = await selectForUpdate.first(uow.sql, { orderId: order.id });
  if (!isAwaitingRegistrar(transfer)) return false;
  await updateCancellation.send(uow.pipeline, {
    id: transfer.id,
    cancellation: null,
    now: uow.now,
  });
  const delivery = await selectDeliveryForUpdate.first(uow.sql, { orderId: order.id });
  await withdraw(uow, order, transfer, delivery, 'order_refunded');
  return true;
}

/**
 * Nobody can stop the push any more, or knows: staff must decide. After `too_late` the transfer stands where
 * the registrar has moved the domain. False, and no change, when nothing waits for this any more.
 */
export async function escalateCancellation(
  uow: UnitOfWork,
  order: Order,
  cause: Exclude<Cancellation, 'requested'>,
): Promise<boolean> {
  const transfer = await selectForUpdate.first(uow.sql, { orderId: order.id });
  if (!isAwaitingRegistrar(transfer)) return false;
  if (cause === 'too_late' && transfer.status !== 'awaiting_confirmation') {
    await moveTransfer(uow, order, transfer, 'await_confirmation');
  }
  await updateCancellation.send(uow.pipeline, {
    id: transfer.id,
    cancellation: cause,
    now: uow.now,
  });
  return true;
}

/**
 * Staff refunds although the push may have done its work. What the registrar moved is a completed transfer;
 * any other one is cancelled, and the registrar is asked anew to stop its push, which may still be open there.
 * @throws conflict (invalid_state) when no decision is due
 */
export async function endTransferForRefund(uow: UnitOfWork, order: Order): Promise<void> {
  const transfer = await lockAwaitingDecision(uow, order);
  await updateCancellation.send(uow.pipeline, {
    id: transfer.id,
    cancellation: null,
    now: uow.now,
  });
  const hasLeft = transfer.cancellation === 'too_late';
  const name = hasLeft ? 'complete' : 'cancel';
  if (name === 'cancel') askToStopPush(uow, order, transfer, transfer.id);
  const reason = name === 'cancel' ? 'order_refunded' : null;
  await moveTransfer(uow, order, transfer, name, { reason });
  const delivery = await selectDeliveryForUpdate.first(uow.sql, { orderId: order.id });
  if (delivery) await moveDelivery(uow, order, delivery, hasLeft ? 'deliver' : 'withdraw');
}

/**
 * Staff delivers after all. A domain that the registrar has moved waits for its confirmation again, one that can be
 * fetched goes on to be fetched; any other transfer needs action, from where it is pushed again or confirmed. Returns
 * which.
 * @throws conflict (invalid_state) when no decision is due
 */
export async function resumeTransfer(
  uow: UnitOfWork,
  order: Order,
): Promise<'arrived' | 'goes_on' | 'needs_action'> {
  const transfer = await lockAwaitingDecision(uow, order);
  await updateCancellation.send(uow.pipeline, {
    id: transfer.id,
    cancellation: null,
    now: uow.now,
  });
  if (transfer.cancellation === 'too_late') return 'arrived';
  if (transfer.status === 'awaiting_confirmation') return 'goes_on';
  if (!canMove('require_action', transfer.status)) return 'needs_action';
  // A push that was queued has a number by which the registrar was told to refuse it: the next one is another.
  const attempts = transfer.status === 'queued' ? transfer.attempts + 1 : transfer.attempts;
  await moveTransfer(uow, order, transfer, 'require_action', {
    reason: 'refund_declined',
    attempts,
  });
  return 'needs_action';
}

/** Ends a transfer that has come to nothing, and the delivery that it had come to. */
async function withdraw(
  uow: UnitOfWork,
  order: Order,
  transfer: Transfer,
  delivery: Delivery | undefined,
  reason: string,
): Promise<void> {
  if (delivery) {
    await moveDelivery(uow, order, delivery, 'withdraw');
    await forgetRegistrant(uow, order);
  }
  await moveTransfer(uow, order, transfer, 'cancel', { reason });
}

/** @param cause the id of the refund that waits for it, or of the transfer that was cancelled without an answer */
function askToStopPush(uow: UnitOfWork, order: Order, transfer: Transfer, cause: string): void {
  const push = { orderId: order.id, attempt: transfer.attempts };
  uow.jobs.add(stopPushJob, push, { dedupeKey: `stop-push:${cause}` });
}

/** Whether the registrar's word still counts: not once it has said that it is too late. */
function isAwaitingRegistrar(transfer: Transfer | undefined): transfer is Transfer {
  return transfer?.cancellation === 'requested' || transfer?.cancellation === 'unanswered';
}

async function lockAwaitingDecision(uow: UnitOfWork, order: Order): Promise<Transfer> {
  const transfer = await selectForUpdate.first(uow.sql, { orderId: order.id });
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
