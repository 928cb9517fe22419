import { Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';

/** Sends a payout through the payment provider. */
export const sendPayoutJob = defineJob({
  queue: 'payments',
  name: 'send-payout',
  payload: Type.Object({ payoutId: Type.String({ minLength: 1 }) }),
  deadlineMs: 2 * MINUTE,
  retryMs: [
    SECOND,
    5 * SECOND,
    30 * SECOND,
    2 * MINUTE,
    10 * MINUTE,
    30 * MINUTE,
    HOUR,
    6 * HOUR,
    18 * HOUR,
  ],
  dedupeKey: ({ payoutId }) => `send-payout:${payoutId}`,
});
