import { dropRegistrant } from '../../domains/domain-registrants/registered-for.ts';
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

/** Whether the transfer was canceled at once, or its cancellation was requested from the registrar. */
export type TransferEnd = 'cancelled' | 'requested';

/**
 * Cancels the transfer of an order that is being refunded. If the registrar may already have its push, a job asks
 * the registrar to stop it, and nothing else moves the transfer until the registrar answers or staff decide.
 * The order must be locked.
 * @throws conflict: `invalid_state` if the registrar has moved the domain, `already_refunded` if a refund is
 *   already waiting for the registrar
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
      'A refund of this order is already waiting for the registrar.',
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

/** Returns whether a refund is waiting for the order's transfer to end. The order must be locked. */
export async function isBeingStopped(uow: UnitOfWork, orderId: string): Promise<boolean> {
  const transfer = await selectForUpdate.first(uow.sql, { orderId });
  return transfer !== undefined && transfer.cancellation !== null;
}

// The ways in which a requested cancellation of a push can end. The order must be locked.

/**
 * Cancels the transfer once the registrar has stopped its push. Returns false and changes nothing if no
 * cancellation is waiting for the registrar anymore.
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
 * Leaves the decision to staff, because it is too late to stop the push or the registrar did not answer. After
 * `too_late` the transfer is `awaiting_confirmation`. Returns false and changes nothing if no cancellation is
 * waiting for the registrar anymore.
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
 * Ends a transfer because staff approved the refund. Completes it if the registrar moved the domain. Otherwise cancels
 * it and asks the registrar again to stop its push, which may still be open.
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
 * Continues a transfer because staff declined the refund. Returns `arrived` if the registrar has moved the domain
 * and the delivery waits for confirmation again, `goes_on` if the domain can still be fetched, and `needs_action`
 * if staff must retry or confirm the transfer.
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
  // The registrar was told to reject a queued push by its attempt number, so the next push needs a new number.
  const attempts = transfer.status === 'queued' ? transfer.attempts + 1 : transfer.attempts;
  await moveTransfer(uow, order, transfer, 'require_action', {
    reason: 'refund_declined',
    attempts,
  });
  return 'needs_action';
}

/** Cancels a transfer and withdraws its delivery, if it has one. */
async function withdraw(
  uow: UnitOfWork,
  order: Order,
  transfer: Transfer,
  delivery: Delivery | undefined,
  reason: string,
): Promise<void> {
  if (delivery) {
    await moveDelivery(uow, order, delivery, 'withdraw');
    const { environment, domain, id: orderId } = order;
    await dropRegistrant(uow, { environment, domain, orderId });
  }
  await moveTransfer(uow, order, transfer, 'cancel', { reason });
}

/** @param cause the id of the waiting refund, or of the transfer that was canceled without an answer */
function askToStopPush(uow: UnitOfWork, order: Order, transfer: Transfer, cause: string): void {
  const push = { orderId: order.id, attempt: transfer.attempts };
  uow.jobs.add(stopPushJob, push, { dedupeKey: `stop-push:${cause}` });
}

/** Whether the registrar's answer still counts. It does not once the registrar has said that it is too late. */
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
      ? 'We are still asking the registrar to stop the push. Decide once it answers, or if it does not answer for a long time.'
      : `The order is ${order.status} and has no refund that waits for a decision.`,
  );
}
