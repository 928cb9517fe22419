import { type Tx, wakeAfterCommit } from '../../platform/database/database.ts';
import { currentTraceparent } from '../../platform/observability/tracing.ts';
import type { JobRequest } from './job.ts';
import { insertJobs } from './outbox.store.ts';

/**
 * Records work for later in the caller's transaction: it will be done if and only if the transaction
 * commits, whatever happens to Redis or to the workers meanwhile.
 */
export async function enqueue(tx: Tx, jobs: readonly JobRequest[], now: Date): Promise<void> {
  if (jobs.length === 0) return;
  await insertJobs(tx, jobs, { now, traceParent: currentTraceparent() });
  wakeAfterCommit(tx);
}
