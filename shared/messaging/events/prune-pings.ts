import { type Clock, daysAgo } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { idRangeAt } from '../../platform/ids.ts';
import type { Database } from '../unit-of-work/database.ts';
import { deletePings } from './event.store.ts';

/** Deletes up to `limit` pings of which, DELIVERY_KEEP_DAYS later, no delivery is left; returns how many. */
export function prunePings(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  limit: number,
): Promise<number> {
  const { first } = idRangeAt('event', daysAgo(clock, config.deliveryKeepDays));
  return deletePings.run(db.knex, { before: first, limit });
}
