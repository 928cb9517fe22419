import { Type } from 'typebox';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { defineJob } from '../jobs/job.ts';

/** Schedules the deliveries of a replay. */
export const replayEventsJob = defineJob({
  queue: 'maintenance',
  name: 'replay-events',
  payload: Type.Object({ replayId: Type.String() }),
  deadlineMs: 2 * MINUTE,
  retryMs: [SECOND, 5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE, 10 * MINUTE],
  dedupeKey: ({ replayId }) => `replay:${replayId}`,
});
