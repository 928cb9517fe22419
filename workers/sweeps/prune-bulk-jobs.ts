import { pruneBulkJobs } from '../../shared/bulk/prune-bulk-jobs.ts';
import { HOUR, MINUTE } from '../../shared/platform/clock.ts';
import type { TickRow } from '../runtime/row.ts';
import { inBatches } from './in-batches.ts';

/** Each has up to a thousand results. */
const JOBS = 20;

/** Deletes finished bulk jobs and their results after their keep. */
export const pruneBulkJobsTick: TickRow = {
  queue: 'maintenance',
  name: 'prune-bulk-jobs',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  tick: ({ runtime, signal }) => inBatches(signal, (limit) => pruneBulkJobs(runtime, limit), JOBS),
};
