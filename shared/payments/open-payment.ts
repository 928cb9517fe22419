import { addMs, MINUTE } from '../platform/clock.ts';
import type { Tx } from '../platform/db.ts';
import { newId } from '../platform/ids.ts';
import { insertPayment, type NewPayment } from './payment.store.ts';
import type { Payment } from './payment.ts';

/** A provider's answer to a request under way comes sooner; after it, somebody has to ask. */
const FIRST_CHECK_MS = 10 * MINUTE;

/**
 * A fresh payment of a checkout session, before its provider is asked; undefined when the session has a
 * live one, or paid for an order already.
 */
export function openPayment(
  tx: Tx,
  payment: Omit<NewPayment, 'id'>,
  now: Date,
): Promise<Payment | undefined> {
  const id = newId('payment', now);
  return insertPayment(tx, { ...payment, id }, { now, checkAt: addMs(now, FIRST_CHECK_MS) });
}
