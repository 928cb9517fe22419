import { type Static, Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';

/** A claim link or code of a delivery, numbered from 1. */
const DeliveryIssue = Type.Object({
  orderId: Type.String({ minLength: 1 }),
  issue: Type.Integer({ minimum: 1 }),
});
export type DeliveryIssue = Static<typeof DeliveryIssue>;

/** Expires an unused claim. */
export const expireDeliveryJob = defineJob({
  queue: 'transfers',
  name: 'expire-delivery',
  payload: DeliveryIssue,
  deadlineMs: MINUTE,
  retryMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE],
  dedupeKey: ({ orderId, issue }) => `expire-delivery:${orderId}:${issue}`,
});

/**
 * Watches a domain whose authorization code is out: approves the transfer requested with the code, and records that
 * the domain has left or that the code has expired.
 */
export const watchDeliveryJob = defineJob({
  queue: 'transfer-polls',
  name: 'watch-delivery',
  payload: DeliveryIssue,
  deadlineMs: 30 * SECOND,
  retryMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR],
  dedupeKey: ({ orderId, issue }) => `watch-delivery:${orderId}:${issue}`,
});
