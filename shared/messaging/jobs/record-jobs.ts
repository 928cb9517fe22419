import type { Pipeline } from '../../platform/database/pipeline.ts';
import type { Tx } from '../../platform/database/postgres.ts';
import { currentTraceparent } from '../../platform/observability/tracing.ts';
import { AlreadyFinished, type JobReference, type JobRequest } from './job.ts';
import { DONE_ALREADY, deleteKey, deleteKeyOfEnded, finishOne, writeJobs } from './outbox.store.ts';

// The unit of work calls these to write what was added to `uow.jobs`.

/** Records jobs in the outbox. They will run, whatever happens to Redis or the workers. */
export async function recordJobs(
  pipeline: Pipeline,
  jobs: readonly JobRequest[],
  now: Date,
): Promise<void> {
  await writeJobs(pipeline, jobs, { now, traceParent: currentTraceparent() });
}

/** Marks a job done, and releases its key if one is given. The transaction fails when it is done already. */
export async function finishJob(
  pipeline: Pipeline,
  { outboxId }: JobReference,
  key: string | undefined,
  now: Date,
): Promise<void> {
  await finishOne.send(pipeline, { id: outboxId, now });
  if (key !== undefined) await deleteKey.send(pipeline, { id: outboxId, key });
}

/** What a transaction has failed with, in words of jobs: AlreadyFinished where {@link finishJob} refused it. */
export function asFailureOfJob(error: unknown): unknown {
  return (error as { code?: string }).code === DONE_ALREADY ? new AlreadyFinished() : error;
}

/** Releases a key whose job is done or deleted, so that another one can be added. */
export async function forgetKeyOfEnded(tx: Tx, key: string): Promise<void> {
  await deleteKeyOfEnded.run(tx, { key });
}
