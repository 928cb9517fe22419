import type { Database } from '../platform/db.ts';
import { fail } from '../platform/errors.ts';
import { findAnyPayout } from './payout.store.ts';
import type { Payout } from './payout.ts';

/** A payout of any partner, for ops. @throws not_found */
export async function getAnyPayout({ db }: { db: Database }, id: string): Promise<Payout> {
  const payout = await findAnyPayout(db.knex, id);
  if (!payout) throw fail('not_found', { message: 'No payout has this id.' });
  return payout;
}
