import type { Database } from '../platform/db.ts';
import { deleteFinished } from './dispatch.store.ts';

/** Deletes up to `limit` deliveries that ended before `before`, with their attempts; returns how many. */
export async function pruneDeliveries(
  { db }: { db: Database },
  before: Date,
  limit: number,
): Promise<number> {
  return deleteFinished(db.knex, before, limit);
}
