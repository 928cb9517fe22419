import type { Database } from '../platform/db.ts';
import { fail } from '../platform/errors.ts';
import { findPayout } from './payout.store.ts';
import type { Payout } from './payout.ts';

/** A payout of any partner, for ops. @throws not_found */
export async function getPayoutForOps({ db }: { db: Database }, id: string): Promise<Payout> {
  const payout = await findPayout(db.knex, id);
  if (!payout) throw fail('not_found', { message: 'No payout has this id.' });
  return payout;
}
