import { recordEvents } from '../events/record-events.ts';
import { lockOrderById } from '../orders/move-order.ts';
import { transferPolicy } from '../orders/order.jobs.ts';
import { enqueue } from '../outbox/enqueue.ts';
import { addMs } from '../platform/clock.ts';
import type { Tx } from '../platform/db.ts';
import type { PushState } from '../registrar/registrar.ts';
import type { Runtime } from '../runtime.ts';
import { isCurrentPush } from './begin-push.ts';
import { moveTransfer } from './move-transfer.ts';
import { confirmDeliveryJob, type PushAttempt, pollTransferJob } from './transfer.jobs.ts';
import { lockTransfer } from './transfer.store.ts';
import { canMove, type TransferMoveName } from './transfer-states.ts';

const MOVE_OF: Record<PushState['status'], TransferMoveName> = {
  pending: 'await_registry',
  action_required: 'require_action',
  completed: 'await_confirmation',
  failed: 'fail',
};

/** What is left to do for an attempt: poll it, nothing, or stop a push that nobody wants any more. */
export type PushProgress = 'open' | 'ended' | 'unwanted';

/**
 * Writes down what the registrar said of an attempt, once, however often it is said. Its first word on a push
 * that is not its last asks for the polls. A failed transfer leaves its order in progress, for ops to retry
 * or refund.
 * @throws not_found
 */
export async function recordPushState(
  tx: Tx,
  { config, clock }: Pick<Runtime, 'config' | 'clock'>,
  { orderId, attempt }: PushAttempt,
  state: PushState,
): Promise<PushProgress> {
  const order = await lockOrderById(tx, orderId);
  const transfer = await lockTransfer(tx, orderId);
  if (!transfer || transfer.status === 'cancelled') return 'unwanted';
  if (!isCurrentPush(transfer, attempt)) return 'ended';
  const open = state.status === 'pending' || state.status === 'action_required';
  const move = MOVE_OF[state.status];
  if (!canMove(move, transfer.status)) return open ? 'open' : 'ended';

  const now = clock.now();
  const moved = await moveTransfer(tx, order, transfer, move, {
    now,
    reason: open || state.status === 'failed' ? (state.reason ?? null) : null,
  });
  if (open && transfer.status === 'pushing') {
    const runAt = addMs(now, config.transferPollMs);
    await enqueue(tx, [pollTransferJob({ orderId, attempt }, runAt)], now);
  }
  if (state.status === 'completed' && transferPolicy(config, order.environment) === 'automatic') {
    const runAt = addMs(now, config.transferConfirmDelayMs);
    await enqueue(tx, [confirmDeliveryJob(orderId, runAt)], now);
  }
  await recordEvents(tx, order, moved.events, now);
  return open ? 'open' : 'ended';
}

/**
 * Nobody knows where a push stands, since the registrar has not answered for so long: a person must look,
 * then retry or refund.
 * @throws not_found
 */
export async function recordUnreachable(
  tx: Tx,
  { clock }: Pick<Runtime, 'clock'>,
  { orderId, attempt }: PushAttempt,
): Promise<void> {
  const order = await lockOrderById(tx, orderId);
  const transfer = await lockTransfer(tx, orderId);
  if (!transfer || !isCurrentPush(transfer, attempt)) return;
  if (!canMove('require_action', transfer.status)) return;
  const now = clock.now();
  const moved = await moveTransfer(tx, order, transfer, 'require_action', {
    now,
    reason: 'registrar_unreachable',
  });
  await recordEvents(tx, order, moved.events, now);
}
