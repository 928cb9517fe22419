import { HOUR, MINUTE } from '../../shared/platform/clock.ts';
import { pruneQuotes } from '../../shared/quotes/prune-quotes.ts';
import type { TickRow } from '../runtime/row.ts';
import { inBatches } from './in-batches.ts';

/** Deletes quotes that ran out long ago. */
export const pruneQuotesTick: TickRow = {
  queue: 'maintenance',
  name: 'prune-quotes',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  tick: ({ runtime, signal }) => inBatches(signal, (limit) => pruneQuotes(runtime, limit)),
};
