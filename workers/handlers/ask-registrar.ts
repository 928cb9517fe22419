import { RegistrarBusy } from '../../shared/domains/registrar/registrar.ts';
import type { UnitOfWork } from '../../shared/messaging/unit-of-work/unit-of-work.ts';
import { addMs } from '../../shared/platform/clock.ts';
import { orAbort } from '../../shared/platform/concurrency/deadline.ts';
import { transientDatabaseError } from '../../shared/platform/database/database-errors.ts';
import type { WorkerServices } from '../compose-workers.ts';
import {
  giveUp,
  isFinalAttempt,
  type JobContext,
  type Outcome,
  retry,
  snooze,
} from '../runtime/job-handler.ts';

/**
 * Returns the registrar's answer. Without one it retries; after the last attempt `recordSilence` leaves it to staff.
 */
export async function answerOf<T>(
  context: JobContext,
  asked: Promise<T>,
  recordSilence: (uow: UnitOfWork) => Promise<void>,
): Promise<{ answer: T } | { silence: Outcome }> {
  try {
    return { answer: await orAbort(asked, context.signal) };
  } catch (error) {
    // The sandbox's registrar is in our own database.
    if (transientDatabaseError(error)?.jobsWaitItOut) throw error;
    // Nothing failed: waiting does not count as an attempt.
    if (error instanceof RegistrarBusy) return { silence: snooze(error.until) };
    const reason = `the registrar did not answer: ${(error as Error).message}`;
    if (!isFinalAttempt(context)) return { silence: retry(reason) };
    await context.runtime.db.transact(recordSilence);
    return { silence: giveUp(reason) };
  }
}

/** Returns when to poll again: after a tenth of the time in the current state, since slow operations stay slow. */
export function nextPollAt({ clock, config }: WorkerServices, since: Date): Date {
  const now = clock.now();
  const tenth = (now.getTime() - since.getTime()) / 10;
  const waitMs = Math.min(
    Math.max(tenth, config.transferPollMs),
    Math.max(config.transferPollMaxMs, config.transferPollMs),
  );
  return addMs(now, Math.ceil(waitMs));
}

/** Returns when to check a domain whose code is out: by polling, besides registry messages, and at the code's end. */
export function nextLookAt(
  runtime: WorkerServices,
  { since, endsAt }: { since: Date; endsAt: Date | null },
): Date {
  const next = nextPollAt(runtime, since);
  const isAhead = endsAt !== null && endsAt > runtime.clock.now();
  return isAhead && endsAt < next ? endsAt : next;
}
