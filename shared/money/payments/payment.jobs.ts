import { Type } from 'typebox';
import type { JobRequest } from '../../delivery/jobs/job.ts';

/** Give a payment back at its provider. */
export const RefundPaymentPayload = Type.Object({ paymentId: Type.String({ minLength: 1 }) });

export function refundPaymentJob(paymentId: string, now: Date): JobRequest {
  return {
    queue: 'payments',
    name: 'refund-payment',
    payload: { paymentId },
    runAt: now,
    dedupeKey: `refund-payment:${paymentId}`,
  };
}
