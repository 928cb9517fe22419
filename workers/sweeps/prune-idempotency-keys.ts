import { pruneIdempotencyKeys } from '../../shared/idempotency/prune-keys.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import type { ScheduledTask } from '../runtime/row.ts';
import { runInBatches } from './in-batches.ts';

/** Deletes idempotency keys past their time, with the answers stored under them. */
export const pruneIdempotencyKeysTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-idempotency-keys',
  everyMs: 10 * MINUTE,
  deadlineMs: 5 * MINUTE,
  tick: ({ runtime, signal }) =>
    runInBatches(signal, (limit) => pruneIdempotencyKeys(runtime, limit)),
};
