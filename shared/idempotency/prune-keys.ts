import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import { deleteExpired } from './idempotency.store.ts';

/** Deletes up to `limit` idempotency keys past their time; returns how many. */
export async function pruneIdempotencyKeys(
  { db, clock }: { db: Database; clock: Clock },
  limit: number,
): Promise<number> {
  const now = clock.now();
  return db.transact((tx) => deleteExpired(tx, now, limit));
}
