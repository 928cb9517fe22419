import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import { expireOpenQuotes } from './quote.store.ts';

/** Marks up to `limit` quotes that have run out; returns how many. Nothing waits for it: expiry is checked at use. */
export async function expireQuotes(
  { db, clock }: { db: Database; clock: Clock },
  limit: number,
): Promise<number> {
  return expireOpenQuotes(db.knex, clock.now(), limit);
}
