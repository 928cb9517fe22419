import { pruneSessions } from '../../shared/owners/prune-sessions.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import type { TickRow } from '../runtime/row.ts';
import { inBatches } from './in-batches.ts';

/** Deletes sessions that are over. */
export const pruneSessionsTick: TickRow = {
  queue: 'maintenance',
  name: 'prune-sessions',
  everyMs: 10 * MINUTE,
  deadlineMs: MINUTE,
  tick: ({ runtime, signal }) => inBatches(signal, (limit) => pruneSessions(runtime, limit)),
};
