import { findLivePayment } from '../payments/find-payment.ts';
import { fail } from '../platform/errors.ts';
import { releaseCheckoutHold } from '../quotes/checkout-hold.ts';
import type { Runtime } from '../runtime.ts';
import { lockSession, moveSession } from './session.store.ts';
import { isUnderWay } from './session.ts';

/**
 * The buyer gives up. False, and no change, when the session is over already. A payment that is still under
 * way keeps the domain held: should its money come, it counts.
 * @throws not_found
 */
export async function cancelSession(
  { db, clock }: Pick<Runtime, 'db' | 'clock'>,
  sessionId: string,
): Promise<boolean> {
  return db.transact(async (tx) => {
    if (!(await lockSession(tx, sessionId))) throw fail('not_found');
    const payment = await findLivePayment(tx, sessionId);
    if (!(await moveSession(tx, sessionId, 'cancel', clock.now()))) return false;
    if (!payment || !isUnderWay(payment)) await releaseCheckoutHold(tx, sessionId);
    return true;
  });
}
