import { pruneSessions } from '../../shared/owners/prune-sessions.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import type { ScheduledTask } from '../runtime/row.ts';
import { runInBatches } from './in-batches.ts';

/** Deletes sessions that are over. */
export const pruneSessionsTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-sessions',
  everyMs: 10 * MINUTE,
  deadlineMs: MINUTE,
  tick: ({ runtime, signal }) => runInBatches(signal, (limit) => pruneSessions(runtime, limit)),
};
