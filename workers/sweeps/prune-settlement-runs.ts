import { HOUR, MINUTE } from '../../shared/platform/clock.ts';
import { pruneSettlementRuns } from '../../shared/settlements/prune-runs.ts';
import type { ScheduledTask } from '../runtime/row.ts';
import { runInBatches } from './in-batches.ts';

/** Each has a row for every partner. */
const RUNS_PER_BATCH = 20;

/** Deletes settlement runs that ended long ago; what they closed stays. */
export const pruneSettlementRunsTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-settlement-runs',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  tick: ({ runtime, signal }) =>
    runInBatches(signal, (limit) => pruneSettlementRuns(runtime, limit), RUNS_PER_BATCH),
};
