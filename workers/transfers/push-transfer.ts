import { later } from '../../shared/platform/clock.ts';
import type { PushState, Registrar } from '../../shared/registrar/registrar.ts';
import { beginPush, type OpenPush } from '../../shared/transfers/begin-push.ts';
import { type PushProgress, recordPushState } from '../../shared/transfers/record-push-state.ts';
import {
  PUSH_RETRY_MS,
  type PushTicket,
  PushTransferPayload,
} from '../../shared/transfers/transfer.jobs.ts';
import { clientReference } from '../../shared/transfers/transfer.ts';
import { done, giveUp, type Outcome, retry, snooze } from '../runtime/outcome.ts';
import { type JobContext, job } from '../runtime/row.ts';

/**
 * Carries one push from the hand-over to the registrar's last word; between two questions it sleeps. Any
 * number of runs of it make one push, since the registrar knows the push by its reference.
 */
export const pushTransferRow = job({
  queue: 'transfers',
  name: 'push-transfer',
  payload: PushTransferPayload,
  deadlineMs: 30_000,
  retryMs: PUSH_RETRY_MS,
  processor: pushTransfer,
});

async function pushTransfer(context: JobContext, ticket: PushTicket): Promise<Outcome> {
  const { runtime, lastAttempt } = context;
  const push = await beginPush(runtime, ticket);
  if (!push) return done();
  const registrar = runtime.registrars(push.transfer.environment);

  let state: PushState;
  try {
    state = await askRegistrar(registrar, push);
  } catch (error) {
    const reason = `the registrar did not answer: ${(error as Error).message}`;
    if (!lastAttempt) return retry(reason);
    // Nobody knows whether the push has arrived: a person must look, then retry or refund.
    const unknown: PushState = { status: 'action_required', reason: 'registrar_unreachable' };
    await runtime.db.transact((tx) => recordPushState(tx, runtime, ticket, unknown));
    return giveUp(reason);
  }

  const progress = await runtime.db.transact(async (tx): Promise<PushProgress> => {
    const recorded = await recordPushState(tx, runtime, ticket, state);
    if (recorded === 'ended') await context.finish(tx);
    return recorded;
  });
  if (progress === 'open') {
    return snooze(later(runtime.clock.now(), runtime.config.transferPollMs));
  }
  // The order was refunded while we asked; its own job cancels as well, but may have been first.
  if (progress === 'unwanted') await registrar.cancel(referenceOf(push));
  return done();
}

/** Hands the push over, or asks after it when it is known to have arrived. */
async function askRegistrar(registrar: Registrar, push: OpenPush): Promise<PushState> {
  const { transfer, domain } = push;
  const reference = referenceOf(push);
  if (transfer.status !== 'pushing') return registrar.read(reference);
  if (transfer.attempts > 1) {
    // What is left of the attempt before must not go on beside this one; if it was done, so are we.
    const former = await registrar.cancel(clientReference(transfer.id, transfer.attempts - 1));
    if (former === 'too_late') return { status: 'completed' };
  }
  return registrar.push({ clientReference: reference, domain, method: transfer.method });
}

function referenceOf({ transfer }: OpenPush): string {
  return clientReference(transfer.id, transfer.attempts);
}
