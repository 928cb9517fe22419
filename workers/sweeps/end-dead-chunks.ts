import { endDeadChunks } from '../../shared/bulk/end-dead-chunks.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import type { TickRow } from '../runtime/row.ts';

const JOBS = 1_000;

/** Ends bulk jobs of which a chunk is dead. */
export const endDeadChunksTick: TickRow = {
  queue: 'maintenance',
  name: 'end-dead-chunks',
  everyMs: 5 * MINUTE,
  deadlineMs: 2 * MINUTE,
  tick: ({ runtime }) => endDeadChunks(runtime, JOBS),
};
