import { eraseBuyers, pruneSessions } from '../../shared/checkout/prune-sessions.ts';
import { prunePayments } from '../../shared/payments/prune-payments.ts';
import { HOUR, MINUTE } from '../../shared/platform/clock.ts';
import type { TickRow } from '../runtime/row.ts';
import { inBatches } from './in-batches.ts';

/** Erases buyers who left without buying, and later deletes what else is left of their checkout. */
export const pruneCheckoutSessionsTick: TickRow = {
  queue: 'maintenance',
  name: 'prune-checkout-sessions',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  async tick({ runtime, signal }) {
    return {
      erased: await inBatches(signal, (limit) => eraseBuyers(runtime, limit)),
      // A session goes when it has no payment any more.
      payments: await inBatches(signal, (limit) => prunePayments(runtime, limit)),
      sessions: await inBatches(signal, (limit) => pruneSessions(runtime, limit)),
    };
  },
};
