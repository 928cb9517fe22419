import { Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';

/** Advances a partner's sandbox clock to its target. */
export const advanceClockJob = defineJob({
  queue: 'maintenance',
  name: 'advance-clock',
  payload: Type.Object({
    partnerId: Type.String({ minLength: 1 }),
    target: Type.String({ minLength: 1 }),
  }),
  deadlineMs: 2 * MINUTE,
  retryMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE],
  dedupeKey: ({ partnerId, target }) => `advance-clock:${partnerId}:${target}`,
});
