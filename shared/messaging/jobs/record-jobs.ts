import type { Pipeline } from '../../platform/database/pipeline.ts';
import type { Tx } from '../../platform/database/postgres.ts';
import { currentTraceparent } from '../../platform/observability/tracing.ts';
import { AlreadyFinished, type JobReference, type JobRequest } from './job.ts';
import { DONE_ALREADY, deleteKey, deleteKeyOfEnded, finishOne, writeJobs } from './outbox.store.ts';

// The unit of work calls these functions to write the jobs added to `uow.jobs`.

/** Records jobs in the outbox. They will run even if Redis or the workers fail. */
export async function recordJobs(
  pipeline: Pipeline,
  jobs: readonly JobRequest[],
  now: Date,
): Promise<void> {
  await writeJobs(pipeline, jobs, { now, traceParent: currentTraceparent() });
}

/** Marks a job as done, and releases its key if given. Fails the transaction if the job is already done. */
export async function finishJob(
  pipeline: Pipeline,
  { outboxId }: JobReference,
  key: string | undefined,
  now: Date,
): Promise<void> {
  await finishOne.send(pipeline, { id: outboxId, now });
  if (key !== undefined) await deleteKey.send(pipeline, { id: outboxId, key });
}

/** Translates a transaction's error: returns AlreadyFinished if {@link finishJob} rejected the job. */
export function asFailureOfJob(error: unknown): unknown {
  return (error as { code?: string }).code === DONE_ALREADY ? new AlreadyFinished() : error;
}

/** Releases a key whose job is done, dead or deleted, so that another job can be added under it. */
export async function forgetKeyOfEnded(tx: Tx, key: string): Promise<void> {
  await deleteKeyOfEnded.run(tx, { key });
}
