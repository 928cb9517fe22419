import { foldMarket } from '../../shared/inventory/fold-market.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import { foldTallies } from '../../shared/reports/fold-tallies.ts';
import { foldUnsettled } from '../../shared/settlements/fold-unsettled.ts';
import type { TickRow } from '../runtime/row.ts';
import { inBatches } from './in-batches.ts';

/** Folds what has changed into the tallies behind the totals of `/transactions`, of `/settlements` and of the listings. */
export const foldTalliesTick: TickRow = {
  queue: 'maintenance',
  name: 'fold-tallies',
  everyMs: MINUTE,
  deadlineMs: MINUTE,
  async tick({ runtime, signal }) {
    await inBatches(signal, (limit) => foldTallies(runtime, limit));
    await inBatches(signal, (limit) => foldUnsettled(runtime, limit));
    await inBatches(signal, (limit) => foldMarket(runtime, limit));
  },
};
