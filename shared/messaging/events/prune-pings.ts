import { type Clock, daysAgo } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { idRangeAt } from '../../platform/ids.ts';
import type { Database } from '../unit-of-work/database.ts';
import { deletePings } from './event.store.ts';

/** Deletes up to `limit` pings that are older than DELIVERY_KEEP_DAYS and have no delivery left; returns how many. */
export function prunePings(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  limit: number,
): Promise<number> {
  const { first } = idRangeAt('event', daysAgo(clock, config.deliveryKeepDays));
  return deletePings.run(db.knex, { before: first, limit });
}
