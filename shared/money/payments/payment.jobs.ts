import { Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';

/** The key under which a payment is refunded. */
export const refundPaymentKey = (paymentId: string): string => `refund-payment:${paymentId}`;

/** Refunds a payment at its provider. */
export const refundPaymentJob = defineJob({
  queue: 'payments',
  name: 'refund-payment',
  payload: Type.Object({ paymentId: Type.String({ minLength: 1 }) }),
  deadlineMs: 2 * MINUTE,
  // Longer than the 24 hours for which Stripe repeats a failed response to the same idempotency key.
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
  dedupeKey: ({ paymentId }) => refundPaymentKey(paymentId),
});

/** Deletes at its provider a card that we deleted. Only its token is left. */
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
