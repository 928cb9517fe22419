import { failDeadChunks } from '../../shared/bulk/end-dead-chunks.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import type { ScheduledTask } from '../runtime/row.ts';

const MAX_BULK_JOBS = 1_000;

/** Ends bulk jobs of which a chunk is dead. */
export const endDeadChunksTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'end-dead-chunks',
  everyMs: 5 * MINUTE,
  deadlineMs: 2 * MINUTE,
  tick: ({ runtime }) => failDeadChunks(runtime, MAX_BULK_JOBS),
};
