import { addMs, type Clock, DAY } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { deleteEndedQuotes } from './quote.store.ts';

/**
 * Deletes up to `limit` quotes that ran out QUOTE_KEEP_DAYS ago, and says how many. Nothing reads them any more:
 * their token has expired with them, and an order keeps its own price.
 */
export function pruneQuotes(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  limit: number,
): Promise<number> {
  return deleteEndedQuotes(db.knex, addMs(clock.now(), -config.quoteKeepDays * DAY), limit);
}
