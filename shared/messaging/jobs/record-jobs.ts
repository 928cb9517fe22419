import type { Tx } from '../../platform/database/postgres.ts';
import { currentTraceparent } from '../../platform/observability/tracing.ts';
import { AlreadyFinished, type JobReference, type JobRequest } from './job.ts';
import { deleteKey, deleteKeyOfEnded, updateDone, writeJobs } from './outbox.store.ts';

// A unit of work writes what was added to `uow.jobs` by these.

/** Records jobs in the outbox: they will be done whatever happens to Redis or to the workers meanwhile. */
export async function recordJobs(tx: Tx, jobs: readonly JobRequest[], now: Date): Promise<void> {
  await writeJobs(tx, jobs, { now, traceParent: currentTraceparent() });
}

/** Marks a job done, and lets go of its key when that is given. @throws AlreadyFinished when it is so already */
export async function finishJob(
  tx: Tx,
  { outboxId, key }: JobReference & { key?: string | undefined },
  now: Date,
): Promise<void> {
  if ((await updateDone.run(tx, { id: outboxId, now })) === 0) throw new AlreadyFinished();
  if (key !== undefined) await deleteKey.run(tx, { id: outboxId, key });
}

/** Lets go of a key whose job is done, or no longer there, so that another one can be asked for. */
export async function forgetKeyOfEnded(tx: Tx, key: string): Promise<void> {
  await deleteKeyOfEnded.run(tx, { key });
}
