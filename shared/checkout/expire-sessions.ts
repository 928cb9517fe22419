import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import { expireOpenSessions } from './session.store.ts';

/** Marks up to `limit` sessions that have run out; returns how many. Nothing waits for it: expiry is checked at use. */
export async function expireCheckoutSessions(
  { db, clock }: { db: Database; clock: Clock },
  limit: number,
): Promise<number> {
  return expireOpenSessions(db.knex, clock.now(), limit);
}
