import type { Tx } from '../platform/db.ts';
import { endRefund } from './payment.store.ts';

/** Writes down that a payment's money went back; false when that was written before, or nobody asked for it. */
export function recordPaymentRefunded(
  tx: Tx,
  paymentId: string,
  reference: string | null,
  now: Date,
): Promise<boolean> {
  return endRefund(tx, paymentId, reference, now);
}
