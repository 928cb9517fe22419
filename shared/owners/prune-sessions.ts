import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import { deleteExpiredSessions } from './session.store.ts';

/** Deletes up to `limit` sessions that are over, and says how many; they were of no use already. */
export async function pruneSessions(
  { db, clock }: { db: Database; clock: Clock },
  limit: number,
): Promise<number> {
  return deleteExpiredSessions(db.knex, clock.now(), limit);
}
