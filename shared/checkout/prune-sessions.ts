import { addMs, type Clock, DAY } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { deleteAbandonedSessions, eraseAbandonedBuyers } from './session.store.ts';

interface Deps {
  db: Database;
  clock: Clock;
  config: Config;
}

/**
 * Erases the buyer (e-mail address, name, country) from up to `limit` sessions that ended CHECKOUT_BUYER_KEEP_DAYS
 * ago without an order, and says how many. One with a payment that may still buy the domain waits for it.
 */
export function eraseAbandonedCheckoutBuyers(
  { db, clock, config }: Deps,
  limit: number,
): Promise<number> {
  const before = addMs(clock.now(), -config.checkoutBuyerKeepDays * DAY);
  return eraseAbandonedBuyers(db.knex, before, limit);
}

/**
 * Deletes up to `limit` sessions that ended CHECKOUT_KEEP_DAYS ago without an order, and says how many. One with a
 * payment stays: failed payments are deleted first, and the others are money that moved.
 */
export function pruneCheckoutSessions({ db, clock, config }: Deps, limit: number): Promise<number> {
  return deleteAbandonedSessions(
    db.knex,
    addMs(clock.now(), -config.checkoutKeepDays * DAY),
    limit,
  );
}
