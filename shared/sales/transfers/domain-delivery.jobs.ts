import { type Static, Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';

/** One claim link or one code of a delivery: each one more has the next number. */
const DeliveryIssue = Type.Object({
  orderId: Type.String({ minLength: 1 }),
  issue: Type.Integer({ minimum: 1 }),
});
export type DeliveryIssue = Static<typeof DeliveryIssue>;

/** Ends a claim that nobody used. */
export const expireDeliveryJob = defineJob({
  queue: 'transfers',
  name: 'expire-delivery',
  payload: DeliveryIssue,
  deadlineMs: MINUTE,
  retryMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE],
  dedupeKey: ({ orderId, issue }) => `expire-delivery:${orderId}:${issue}`,
});

/**
 * Follows a domain whose authorization code is out: approves the transfer that is asked for with it, and says when the
 * domain has left, or that the code has ended.
 */
export const watchDeliveryJob = defineJob({
  queue: 'transfer-polls',
  name: 'watch-delivery',
  payload: DeliveryIssue,
  deadlineMs: 30 * SECOND,
  retryMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR],
  dedupeKey: ({ orderId, issue }) => `watch-delivery:${orderId}:${issue}`,
});
