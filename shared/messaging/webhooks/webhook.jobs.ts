import { Type } from 'typebox';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { defineJob } from '../jobs/job.ts';

/** The prefix of a delivery job's dedupe key; the endpoint's id follows. */
export const DELIVER_KEY = 'deliver:';

/**
 * The job that sends an endpoint's due deliveries. An endpoint has one while it has pending deliveries. Besides the
 * ids, the payload holds the endpoint's state when the previous job ended, for operators to read.
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
  // Receiver failures are recorded as attempts of a delivery; these retries are for failures on our side.
  retryMs: [SECOND, 5 * SECOND, 15 * SECOND, ...Array<number>(60).fill(MINUTE)],
  dedupeKey: ({ endpoint }) => `${DELIVER_KEY}${endpoint}`,
});

/** The job that schedules the deliveries of a replay. */
export const replayEventsJob = defineJob({
  queue: 'maintenance',
  name: 'replay-events',
  payload: Type.Object({ replayId: Type.String() }),
  deadlineMs: 2 * MINUTE,
  retryMs: [SECOND, 5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE, 10 * MINUTE],
  dedupeKey: ({ replayId }) => `replay:${replayId}`,
});
