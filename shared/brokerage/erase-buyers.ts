import { addMs, type Clock, DAY } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { eraseBuyersWithoutDeal } from './case.store.ts';

/**
 * Erases the buyer's e-mail address from up to `limit` cases that were closed without a deal
 * BROKERAGE_BUYER_KEEP_DAYS ago, and says how many. The rest of a case stays.
 */
export function eraseCaseBuyers(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  limit: number,
): Promise<number> {
  const before = addMs(clock.now(), -config.brokerageBuyerKeepDays * DAY);
  return eraseBuyersWithoutDeal(db.knex, before, limit);
}
