import { pruneBulkJobs } from '../../shared/bulk/prune-bulk-jobs.ts';
import { HOUR, MINUTE } from '../../shared/platform/clock.ts';
import type { ScheduledTask } from '../runtime/row.ts';
import { runInBatches } from './in-batches.ts';

/** Each has up to a thousand results. */
const BULK_JOBS_PER_BATCH = 20;

/** Deletes finished bulk jobs and their results after their keep. */
export const pruneBulkJobsTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-bulk-jobs',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  tick: ({ runtime, signal }) =>
    runInBatches(signal, (limit) => pruneBulkJobs(runtime, limit), BULK_JOBS_PER_BATCH),
};
