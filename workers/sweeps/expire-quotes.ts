import { MINUTE } from '../../shared/platform/clock.ts';
import { expireQuotes } from '../../shared/quotes/expire-quotes.ts';
import type { ScheduledTask } from '../runtime/row.ts';
import { runInBatches } from './in-batches.ts';

/** Marks quotes that have run out. */
export const expireQuotesTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'expire-quotes',
  everyMs: MINUTE,
  deadlineMs: MINUTE,
  tick: ({ runtime, signal }) => runInBatches(signal, (limit) => expireQuotes(runtime, limit)),
};
