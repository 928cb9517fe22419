import { expireCheckoutSessions } from '../../shared/checkout/expire-sessions.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import type { ScheduledTask } from '../runtime/row.ts';
import { runInBatches } from './in-batches.ts';

/** Marks checkout sessions that have run out. */
export const expireCheckoutSessionsTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'expire-checkout-sessions',
  everyMs: 10 * MINUTE,
  deadlineMs: 5 * MINUTE,
  tick: ({ runtime, signal }) =>
    runInBatches(signal, (limit) => expireCheckoutSessions(runtime, limit)),
};
