import {
  eraseAbandonedCheckoutBuyers,
  pruneCheckoutSessions,
} from '../../shared/checkout/prune-sessions.ts';
import { prunePayments } from '../../shared/payments/prune-payments.ts';
import { HOUR, MINUTE } from '../../shared/platform/clock.ts';
import type { ScheduledTask } from '../runtime/row.ts';
import { runInBatches } from './in-batches.ts';

/** Erases buyers who left without buying, and later deletes what else is left of their checkout. */
export const pruneCheckoutSessionsTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-checkout-sessions',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  async tick({ runtime, signal }) {
    return {
      erased: await runInBatches(signal, (limit) => eraseAbandonedCheckoutBuyers(runtime, limit)),
      // A session goes when it has no payment any more.
      payments: await runInBatches(signal, (limit) => prunePayments(runtime, limit)),
      sessions: await runInBatches(signal, (limit) => pruneCheckoutSessions(runtime, limit)),
    };
  },
};
