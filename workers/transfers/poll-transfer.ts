import { addMs } from '../../shared/platform/clock.ts';
import { transientDatabaseError } from '../../shared/platform/database-faults.ts';
import type { PushState } from '../../shared/registrar/registrar.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { isCurrentPush } from '../../shared/transfers/begin-push.ts';
import { readTransfer } from '../../shared/transfers/read-transfer.ts';
import {
  type PushProgress,
  recordPushState,
  recordUnreachable,
} from '../../shared/transfers/record-push-state.ts';
import {
  PollTransferPayload,
  PUSH_RETRY_MS,
  type PushAttempt,
} from '../../shared/transfers/transfer.jobs.ts';
import { pushReference, type Transfer } from '../../shared/transfers/transfer.ts';
import { isFinalAttempt, rejectOnAbort } from '../runtime/deadline.ts';
import { done, giveUp, type Outcome, retry, snooze } from '../runtime/outcome.ts';
import { defineHandler, type JobContext } from '../runtime/row.ts';

/** Asks after a push that the registrar has taken, ever less often, until its last word. */
export const pollTransferHandler = defineHandler({
  queue: 'transfer-polls',
  name: 'poll-transfer',
  payload: PollTransferPayload,
  deadlineMs: 30_000,
  retryMs: PUSH_RETRY_MS,
  processor: pollTransfer,
});

async function pollTransfer(context: JobContext, ticket: PushAttempt): Promise<Outcome> {
  const { runtime, signal } = context;
  const transfer = await readTransfer(runtime, ticket.orderId);
  if (!transfer || !isCurrentPush(transfer, ticket.attempt)) return done();
  const registrar = runtime.registrars(transfer.environment);

  let state: PushState;
  try {
    const asked = registrar.read(pushReference(transfer.id, ticket.attempt));
    state = await Promise.race([asked, rejectOnAbort(signal)]);
  } catch (error) {
    // The registrar of the sandbox is in our own database.
    if (transientDatabaseError(error)?.jobsWaitItOut) throw error;
    const reason = `the registrar did not answer: ${(error as Error).message}`;
    if (!isFinalAttempt(context)) return retry(reason);
    await runtime.db.transact((tx) => recordUnreachable(tx, runtime, ticket));
    return giveUp(reason);
  }

  const progress = await runtime.db.transact(async (tx): Promise<PushProgress> => {
    const recorded = await recordPushState(tx, runtime, ticket, state);
    if (recorded !== 'open') await context.finish(tx);
    return recorded;
  });
  return progress === 'open' ? snooze(nextPollAt(runtime, transfer)) : done();
}

/** What has taken long will go on taking long: a push is polled after a tenth of its time in its state. */
function nextPollAt({ clock, config }: Runtime, { updatedAt }: Transfer): Date {
  const now = clock.now();
  const tenth = (now.getTime() - updatedAt.getTime()) / 10;
  const waitMs = Math.min(
    Math.max(tenth, config.transferPollMs),
    Math.max(config.transferPollMaxMs, config.transferPollMs),
  );
  return addMs(now, Math.ceil(waitMs));
}
