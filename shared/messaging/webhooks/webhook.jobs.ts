import { Type } from 'typebox';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { defineJob } from '../jobs/job.ts';

/** Before the id of the endpoint, the key of its job. */
export const DELIVER_KEY = 'deliver:';

/**
 * Delivers what is due to an endpoint. It has one such job while anything waits for it: due, or at its next moment.
 * Beside the ids it carries, for operators to read, the endpoint's state when the job before this one ended.
 */
export const deliverJob = defineJob({
  queue: 'webhooks',
  name: 'deliver',
  payload: Type.Object({
    endpoint: Type.String(),
    partner: Type.String(),
    environment: Type.Enum(['LIVE', 'SANDBOX']),
    waiting: Type.Optional(Type.Integer()),
    last_answer: Type.Optional(Type.String()),
    next_try: Type.Optional(Type.String()),
  }),
  deadlineMs: 2 * MINUTE,
  // Whatever is wrong with a receiver is an attempt of a delivery: this is for what is wrong with us.
  retryMs: [SECOND, 5 * SECOND, 15 * SECOND, ...Array<number>(60).fill(MINUTE)],
  dedupeKey: ({ endpoint }) => `${DELIVER_KEY}${endpoint}`,
});

/** Schedules the deliveries of a replay. */
export const replayEventsJob = defineJob({
  queue: 'maintenance',
  name: 'replay-events',
  payload: Type.Object({ replayId: Type.String() }),
  deadlineMs: 2 * MINUTE,
  retryMs: [SECOND, 5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE, 10 * MINUTE],
  dedupeKey: ({ replayId }) => `replay:${replayId}`,
});
