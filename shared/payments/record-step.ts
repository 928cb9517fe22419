import { enqueue } from '../outbox/enqueue.ts';
import type { Tx } from '../platform/db.ts';
import { refundPaymentJob } from './payment.jobs.ts';
import { reviveFailed, updateStatus } from './payment.store.ts';
import { type Payment, STATES_BEFORE } from './payment.ts';
import type { PaymentState } from './payment-provider.ts';

/**
 * Writes down what the provider said of a payment: the payment afterwards, or undefined when that changed
 * nothing (said before, too late, or no such payment). Success is never taken back. Money that arrives for
 * a payment given up as failed counts, too: as `succeeded`, or as `refund_pending` with its refund on the
 * way when the session has another live payment.
 */
export async function recordPaymentState(
  tx: Tx,
  paymentId: string,
  step: PaymentState,
  now: Date,
): Promise<Payment | undefined> {
  const { status: to, reference } = step;
  const code = step.status === 'failed' ? step.code : null;
  const moved = await updateStatus(tx, {
    id: paymentId,
    from: STATES_BEFORE[to],
    to,
    reference,
    code,
    now,
  });
  if (moved || step.status !== 'succeeded') return moved;
  const late = await reviveFailed(tx, { id: paymentId, reference: step.reference, now });
  if (late?.status === 'refund_pending') await enqueue(tx, [refundPaymentJob(late.id, now)], now);
  return late;
}
