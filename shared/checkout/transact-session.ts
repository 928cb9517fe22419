import type { Database, Tx } from '../platform/db.ts';
import { fail } from '../platform/errors.ts';
import { findPartnerOf, lockSession } from './session.store.ts';
import type { CheckoutSession } from './session.ts';

/**
 * Runs what a buyer does at the till in one transaction, with the session locked. It counts as one of the partner's:
 * were its rows locked, its buyers would have all connections otherwise.
 * @throws not_found, and what {@link Database.transactFor} throws
 */
export async function transactWithSession<T>(
  db: Database,
  sessionId: string,
  work: (tx: Tx, session: CheckoutSession) => Promise<T>,
): Promise<T> {
  // Whose a session is never changes, so the look may come before the transaction.
  const partnerId = await findPartnerOf(db.knex, sessionId);
  if (partnerId === undefined) throw fail('not_found');
  return db.transactFor(partnerId, async (tx) => {
    const session = await lockSession(tx, sessionId);
    if (!session) throw fail('not_found');
    return work(tx, session);
  });
}
