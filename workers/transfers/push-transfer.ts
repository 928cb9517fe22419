import { enqueue } from '../../shared/outbox/enqueue.ts';
import { transientDatabaseError } from '../../shared/platform/database-faults.ts';
import type { PushState, Registrar } from '../../shared/registrar/registrar.ts';
import { beginPush, type OpenPush } from '../../shared/transfers/begin-push.ts';
import {
  type PushProgress,
  recordPushState,
  recordUnreachable,
} from '../../shared/transfers/record-push-state.ts';
import {
  PUSH_RETRY_MS,
  type PushAttempt,
  PushTransferPayload,
  pollTransferJob,
} from '../../shared/transfers/transfer.jobs.ts';
import { pushReference } from '../../shared/transfers/transfer.ts';
import { isFinalAttempt, rejectOnAbort } from '../runtime/deadline.ts';
import { done, giveUp, type Outcome, retry } from '../runtime/outcome.ts';
import { defineHandler, type JobContext } from '../runtime/row.ts';

/**
 * Hands one push over to the registrar; from its first answer on the push is polled. Any number of runs
 * make one push, since the registrar knows the push by its reference.
 */
export const pushTransferHandler = defineHandler({
  queue: 'transfers',
  name: 'push-transfer',
  payload: PushTransferPayload,
  deadlineMs: 30_000,
  retryMs: PUSH_RETRY_MS,
  processor: pushTransfer,
});

async function pushTransfer(context: JobContext, ticket: PushAttempt): Promise<Outcome> {
  const { runtime, signal } = context;
  const push = await beginPush(runtime, ticket);
  if (!push) return done();
  if (push.transfer.status !== 'pushing') return handOffToPolling(context, ticket);
  const registrar = runtime.registrars(push.transfer.environment);

  let state: PushState;
  try {
    state = await Promise.race([pushToRegistrar(registrar, push), rejectOnAbort(signal)]);
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
    if (recorded !== 'unwanted') await context.finish(tx);
    return recorded;
  });
  if (progress !== 'unwanted') return done();
  // The order was refunded while we asked. Its own job has stopped the push, so this finds it stopped.
  const stopped = await registrar.cancel(referenceOf(push));
  if (stopped === 'cancelled') return done();
  return giveUp('the registrar moved the domain of a refunded order; people must fetch it back');
}

/** The registrar has answered already, to a worker of a version whose hand-over job polled as well. */
async function handOffToPolling(
  { runtime, finish }: JobContext,
  ticket: PushAttempt,
): Promise<Outcome> {
  const now = runtime.clock.now();
  await runtime.db.transact(async (tx) => {
    await enqueue(tx, [pollTransferJob(ticket, now)], now);
    await finish(tx);
  });
  return done();
}

async function pushToRegistrar(registrar: Registrar, push: OpenPush): Promise<PushState> {
  const { transfer, domain } = push;
  for (let former = transfer.attempts - 1; former >= 1; former -= 1) {
    // What is left of an attempt before must not go on beside this one; if it was done, so are we.
    const answer = await registrar.cancel(pushReference(transfer.id, former));
    if (answer === 'too_late') return { status: 'completed' };
  }
  return registrar.push({
    clientReference: referenceOf(push),
    domain,
    method: transfer.method,
  });
}

function referenceOf({ transfer }: OpenPush): string {
  return pushReference(transfer.id, transfer.attempts);
}
