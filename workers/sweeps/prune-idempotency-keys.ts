import { pruneKeys } from '../../shared/idempotency/prune-keys.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import type { TickRow } from '../runtime/row.ts';
import { inBatches } from './in-batches.ts';

/** Deletes idempotency keys past their time, with the answers stored under them. */
export const pruneIdempotencyKeysTick: TickRow = {
  queue: 'maintenance',
  name: 'prune-idempotency-keys',
  everyMs: 10 * MINUTE,
  deadlineMs: 5 * MINUTE,
  tick: ({ runtime, signal }) => inBatches(signal, (limit) => pruneKeys(runtime, limit)),
};
