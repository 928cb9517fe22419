import { expireSessions } from '../../shared/checkout/expire-sessions.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import type { TickRow } from '../runtime/row.ts';
import { inBatches } from './in-batches.ts';

/** Marks checkout sessions that have run out. */
export const expireCheckoutSessionsTick: TickRow = {
  queue: 'maintenance',
  name: 'expire-checkout-sessions',
  everyMs: 10 * MINUTE,
  deadlineMs: 5 * MINUTE,
  tick: ({ runtime, signal }) => inBatches(signal, (limit) => expireSessions(runtime, limit)),
};
