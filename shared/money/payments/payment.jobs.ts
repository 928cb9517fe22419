import { Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';

/** Gives a payment back at its provider. */
export const refundPaymentJob = defineJob({
  queue: 'payments',
  name: 'refund-payment',
  payload: Type.Object({ paymentId: Type.String({ minLength: 1 }) }),
  deadlineMs: 2 * MINUTE,
  // Beyond the day for which Stripe answers an idempotency key with the failure that it met first.
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
    24 * HOUR,
  ],
  dedupeKey: ({ paymentId }) => `refund-payment:${paymentId}`,
});

/** Has a provider forget a card that we forgot. Its token is all that is left of it. */
export const forgetCardJob = defineJob({
  queue: 'payments',
  name: 'forget-card',
  payload: Type.Object({
    provider: Type.Enum(['sandbox', 'stripe']),
    token: Type.String({ minLength: 1 }),
  }),
  deadlineMs: MINUTE,
  retryMs: [SECOND, 30 * SECOND, 10 * MINUTE, HOUR, 6 * HOUR, 24 * HOUR],
  dedupeKey: ({ token }) => `forget-card:${token}`,
});
