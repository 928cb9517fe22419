import { findSessionPayment } from '../payments/find-payment.ts';
import { releaseCheckoutHold } from '../quotes/checkout-hold.ts';
import type { Runtime } from '../runtime.ts';
import { moveSession } from './session.store.ts';
import { isPaymentOpen } from './session.ts';
import { transactWithSession } from './transact-session.ts';

/**
 * The buyer gives up. False, and no change, when the session is over already. A payment that is still under
 * way keeps the domain held: should its money come, it counts.
 * @throws not_found
 */
export async function cancelSession(
  { db, clock }: Pick<Runtime, 'db' | 'clock'>,
  sessionId: string,
): Promise<boolean> {
  return transactWithSession(db, sessionId, async (tx) => {
    const payment = await findSessionPayment(tx, sessionId);
    if (!(await moveSession(tx, sessionId, 'cancel', clock.now()))) return false;
    if (!payment || !isPaymentOpen(payment)) await releaseCheckoutHold(tx, sessionId);
    return true;
  });
}
