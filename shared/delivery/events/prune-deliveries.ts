import type { Database } from '../unit-of-work/database.ts';
import { deleteFinishedDeliveries } from '../webhooks/dispatch-deliveries.ts';
import { deletePings } from './event.store.ts';

/**
 * Deletes up to `limit` deliveries that ended before `before`, with their attempts, and the pings that were
 * only there to be delivered by them; returns how many deliveries.
 */
export async function pruneDeliveries(
  { db }: { db: Database },
  before: Date,
  limit: number,
): Promise<number> {
  return db.transact(async (uow) => {
    const eventIds = await deleteFinishedDeliveries(uow, before, limit);
    if (eventIds.length > 0) await deletePings.run(uow.sql, { ids: eventIds });
    return eventIds.length;
  });
}
