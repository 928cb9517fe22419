import { MINUTE } from '../../shared/platform/clock.ts';
import { foldTallies } from '../../shared/reports/fold-tallies.ts';
import type { TickRow } from '../runtime/row.ts';
import { inBatches } from './in-batches.ts';

/** Folds what has changed into the daily tallies behind the totals of `/transactions`. */
export const foldTalliesTick: TickRow = {
  queue: 'maintenance',
  name: 'fold-tallies',
  everyMs: MINUTE,
  deadlineMs: MINUTE,
  tick: ({ runtime, signal }) => inBatches(signal, (limit) => foldTallies(runtime, limit)),
};
