import { HOUR, MINUTE } from '../../shared/platform/clock.ts';
import { pruneRuns } from '../../shared/settlements/prune-runs.ts';
import type { TickRow } from '../runtime/row.ts';
import { inBatches } from './in-batches.ts';

/** Each has a row for every partner. */
const RUNS = 20;

/** Deletes settlement runs that ended long ago; what they closed stays. */
export const pruneSettlementRunsTick: TickRow = {
  queue: 'maintenance',
  name: 'prune-settlement-runs',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  tick: ({ runtime, signal }) => inBatches(signal, (limit) => pruneRuns(runtime, limit), RUNS),
};
