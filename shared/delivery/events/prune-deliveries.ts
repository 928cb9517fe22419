import { type Clock, daysAgo } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database } from '../unit-of-work/database.ts';
import { deleteFinishedDeliveries } from '../webhooks/schedule-deliveries.ts';
import { deletePings } from './event.store.ts';

/**
 * Deletes up to `limit` deliveries that ended DELIVERY_KEEP_DAYS ago, and the pings that were
 * only there to be delivered by them; returns how many deliveries.
 */
export async function pruneDeliveries(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  limit: number,
): Promise<number> {
  const before = daysAgo(clock, config.deliveryKeepDays);
  return db.transact(async (uow) => {
    const ids = await deleteFinishedDeliveries(uow.sql, before, limit);
    if (ids.length > 0) await deletePings.run(uow.sql, { ids });
    return ids.length;
  });
}
