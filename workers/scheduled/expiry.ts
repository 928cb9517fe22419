import { MINUTE } from '../../shared/platform/clock.ts';
import { expireCheckoutSessions } from '../../shared/sales/checkout/checkout-lifecycle.ts';
import { expireQuotes } from '../../shared/sales/quotes/quote-lifecycle.ts';
import type { ScheduledTask } from '../runtime/job-handler.ts';
import { runInBatches } from './run-in-batches.ts';

/** Marks quotes that have run out. */
export const expireQuotesTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'expire-quotes',
  everyMs: MINUTE,
  deadlineMs: MINUTE,
  run: ({ runtime, signal }) => runInBatches(signal, (limit) => expireQuotes(runtime, limit)),
};

/** Marks checkout sessions that have run out. */
export const expireCheckoutSessionsTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'expire-checkout-sessions',
  everyMs: 10 * MINUTE,
  deadlineMs: 5 * MINUTE,
  run: ({ runtime, signal }) =>
    runInBatches(signal, (limit) => expireCheckoutSessions(runtime, limit)),
};
