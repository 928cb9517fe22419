import { HOUR, MINUTE } from '../../shared/platform/clock.ts';
import { pruneQuotes } from '../../shared/quotes/prune-quotes.ts';
import type { ScheduledTask } from '../runtime/row.ts';
import { runInBatches } from './in-batches.ts';

/** Deletes quotes that ran out long ago. */
export const pruneQuotesTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-quotes',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  tick: ({ runtime, signal }) => runInBatches(signal, (limit) => pruneQuotes(runtime, limit)),
};
