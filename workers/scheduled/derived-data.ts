import { foldMarket } from '../../shared/market/inventory/market-listings.ts';
import { reportSearchMisses } from '../../shared/market/search/misses/search-misses.ts';
import {
  countDailyFigures,
  countDaysAhead,
  sampleWaits,
} from '../../shared/operations/daily-figures/daily-figures.ts';
import { HOUR, MINUTE, SECOND } from '../../shared/platform/clock.ts';
import { createClickBuffer } from '../../shared/sales/referral/click-buffer.ts';
import { rollUpClicks } from '../../shared/sales/referral/click-counts.ts';
import { warmLinkTargets } from '../../shared/sales/referral/find-link-target.ts';
import { foldTransactionTallies } from '../../shared/settlement/reports/transaction-report.ts';
import { foldUnsettledTallies } from '../../shared/settlement/statements/close-statement.ts';
import type { ScheduledTask, WorkContext } from '../runtime/job-handler.ts';
import { runInBatches } from './sweep-task.ts';

/** Folds changes into the tallies behind the totals of `/transactions`, `/settlements` and the listings. */
export const foldTalliesTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'fold-tallies',
  everyMs: MINUTE,
  deadlineMs: MINUTE,
  async run({ runtime, signal }) {
    await runInBatches(signal, (limit) => foldTransactionTallies(runtime, limit));
    await runInBatches(signal, (limit) => foldUnsettledTallies(runtime, limit));
    await runInBatches(signal, (limit) => foldMarket(runtime, limit));
  },
};

/** Computes the daily figures that charts show. */
export const countDailyFiguresTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'count-daily-figures',
  everyMs: 5 * MINUTE,
  deadlineMs: 4 * MINUTE,
  async run({ runtime, signal }) {
    await sampleWaits(runtime);
    await countDaysAhead(runtime);
    return runInBatches(signal, (limit) => countDailyFigures(runtime, limit), DAYS_PER_BATCH);
  },
};

/** Rolls up buffered clicks, and refills a wiped Redis with the targets of all links. */
export const rollUpClicksTask: ScheduledTask = {
  queue: 'referrals',
  name: 'roll-up-clicks',
  everyMs: 3 * SECOND,
  deadlineMs: MINUTE,
  run: rollUp,
};

async function rollUp({ runtime, signal }: WorkContext): Promise<object> {
  const buffer = createClickBuffer(runtime.redis, runtime.config);
  const filled = await warmLinkTargets(runtime, buffer, signal);
  const rolledUp = await rollUpClicks(runtime, buffer);
  return { filled, rolled_up: rolledUp };
}

/** Computes vectors for new or changed listings, if a model is configured. */
export const refreshEmbeddingsTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'refresh-embeddings',
  everyMs: MINUTE,
  // It ends itself within a minute, but for its last step, in which a slow machine may have to load the model.
  deadlineMs: 10 * MINUTE,
  cutOffAtStop: true,
  run: ({ runtime, signal }) => runtime.embeddings.refresh(signal),
};

/** The maximum number of days per round: more are pending only if no worker ran for long. */
const DAYS_PER_BATCH = 20;

/** Creates, some time after midnight UTC, the report of the previous day's searches without results. */
export const reportSearchMissesTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'report-search-misses',
  everyMs: HOUR,
  deadlineMs: 5 * MINUTE,
  run: ({ runtime, signal }) =>
    runInBatches(signal, (limit) => reportSearchMisses(runtime, limit), 1),
};
