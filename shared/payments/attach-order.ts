import type { Tx } from '../platform/db.ts';
import { setOrder } from './payment.store.ts';

/** Ties a payment to the order that it paid for, in the transaction that records the order. */
export function attachOrder(tx: Tx, paymentId: string, orderId: string): Promise<void> {
  return setOrder(tx, paymentId, orderId);
}
