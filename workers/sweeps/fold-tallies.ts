import { foldMarket } from '../../shared/inventory/fold-market.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import { foldTransactionTallies } from '../../shared/reports/fold-tallies.ts';
import { foldUnsettledTallies } from '../../shared/settlements/fold-unsettled.ts';
import type { ScheduledTask } from '../runtime/row.ts';
import { runInBatches } from './in-batches.ts';

/** Folds what has changed into the tallies behind the totals of `/transactions`, of `/settlements` and of the listings. */
export const foldTalliesTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'fold-tallies',
  everyMs: MINUTE,
  deadlineMs: MINUTE,
  async tick({ runtime, signal }) {
    await runInBatches(signal, (limit) => foldTransactionTallies(runtime, limit));
    await runInBatches(signal, (limit) => foldUnsettledTallies(runtime, limit));
    await runInBatches(signal, (limit) => foldMarket(runtime, limit));
  },
};
