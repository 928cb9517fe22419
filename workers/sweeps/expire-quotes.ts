import { MINUTE } from '../../shared/platform/clock.ts';
import { expireQuotes } from '../../shared/quotes/expire-quotes.ts';
import type { TickRow } from '../runtime/row.ts';
import { inBatches } from './in-batches.ts';

/** Marks quotes that have run out. */
export const expireQuotesTick: TickRow = {
  queue: 'maintenance',
  name: 'expire-quotes',
  everyMs: MINUTE,
  deadlineMs: MINUTE,
  tick: ({ runtime, signal }) => inBatches(signal, (limit) => expireQuotes(runtime, limit)),
};
