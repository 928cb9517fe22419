import { recordAudit } from '../../shared/audit/record-audit.ts';
import { transientDatabaseError } from '../../shared/platform/database-faults.ts';
import { recordCancelPushResult } from '../../shared/refunds/end-held-refund.ts';
import type { Registrar } from '../../shared/registrar/registrar.ts';
import { readTransfer } from '../../shared/transfers/read-transfer.ts';
import {
  LEGACY_STOP_PUSH,
  PUSH_RETRY_MS,
  type PushAttempt,
  StopPushPayload,
} from '../../shared/transfers/transfer.jobs.ts';
import { pushReference } from '../../shared/transfers/transfer.ts';
import { isFinalAttempt, rejectOnAbort } from '../runtime/deadline.ts';
import { done, giveUp, type Outcome, retry } from '../runtime/outcome.ts';
import { defineHandler, type JobContext } from '../runtime/row.ts';

/**
 * Asks the registrar to stop the push of an order that is to be refunded; the refund waits for the answer, and
 * for a decision of staff when the domain has left or the registrar stays away. Run again after that, it goes
 * on where no decision was made. After a refund that staff approved without an answer it still stops the push.
 */
export const stopPushHandler = defineHandler({
  queue: 'transfers',
  name: 'stop-push',
  payload: StopPushPayload,
  deadlineMs: 30_000,
  retryMs: PUSH_RETRY_MS,
  processor: stopPush,
});

/** Of orders that an earlier version refunded before it asked: the audit trail keeps the answer. */
export const legacyStopPushHandler = defineHandler({
  ...LEGACY_STOP_PUSH,
  payload: StopPushPayload,
  deadlineMs: 30_000,
  retryMs: PUSH_RETRY_MS,
  processor: stopPush,
});

async function stopPush(context: JobContext, ticket: PushAttempt): Promise<Outcome> {
  const { orderId } = ticket;
  const { runtime, signal, finish } = context;
  const transfer = await readTransfer(runtime, orderId);
  const isAwaited =
    transfer?.cancellation === 'requested' || transfer?.cancellation === 'unanswered';
  if (!transfer || !(isAwaited || transfer.status === 'cancelled')) return done();
  const registrar = runtime.registrars(transfer.environment);
  // A job that was given up and is run again may be older than the push that is open now.
  const attempt = Math.max(ticket.attempt, transfer.attempts);

  let result: 'cancelled' | 'too_late';
  try {
    result = await Promise.race([stopAll(registrar, transfer.id, attempt), rejectOnAbort(signal)]);
  } catch (error) {
    // The registrar of the sandbox is in our own database.
    if (transientDatabaseError(error)?.jobsWaitItOut) throw error;
    const reason = `the registrar did not answer: ${(error as Error).message}`;
    if (!isFinalAttempt(context)) return retry(reason);
    await runtime.db.transact((tx) => recordCancelPushResult(tx, runtime, orderId, 'unanswered'));
    return giveUp(reason);
  }

  const hasLeftAfterAll = transfer.status === 'cancelled' && result === 'too_late';
  await runtime.db.transact(async (tx) => {
    const entry = {
      actor: 'worker',
      action: 'transfer:cancel-push',
      subject: orderId,
      after: { registrar: registrar.name, attempt, result },
    };
    await recordAudit(tx, entry, runtime.clock.now());
    if (!hasLeftAfterAll) await finish(tx);
    await recordCancelPushResult(tx, runtime, orderId, result);
  });
  if (!hasLeftAfterAll) return done();
  return giveUp('the registrar moved the domain of a refunded order; people must fetch it back');
}

/** Stops the latest push first, so that it can't follow on the end of the one before. */
async function stopAll(
  registrar: Registrar,
  transferId: string,
  attempt: number,
): Promise<'cancelled' | 'too_late'> {
  let result: 'cancelled' | 'too_late' = 'cancelled';
  for (let each = attempt; each >= 1; each -= 1) {
    const answer = await registrar.cancel(pushReference(transferId, each));
    if (answer === 'too_late') result = 'too_late';
  }
  return result;
}
