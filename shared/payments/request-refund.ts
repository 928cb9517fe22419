import { enqueue } from '../outbox/enqueue.ts';
import type { Tx } from '../platform/db.ts';
import { refundPaymentJob } from './payment.jobs.ts';
import { beginRefund } from './payment.store.ts';
import type { Payment } from './payment.ts';

/**
 * Sends the money of a succeeded payment on its way back; a job asks the provider. Undefined, and nothing
 * happens, when there is no succeeded payment.
 */
export async function requestPaymentRefund(
  tx: Tx,
  of: { orderId: string } | { paymentId: string },
  now: Date,
): Promise<Payment | undefined> {
  const payment = await beginRefund(tx, of, now);
  if (payment) await enqueue(tx, [refundPaymentJob(payment.id, now)], now);
  return payment;
}
