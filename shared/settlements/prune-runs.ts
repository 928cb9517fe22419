import { addMs, type Clock, DAY } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { deleteFinishedRuns } from './settlement-run.store.ts';

/**
 * Deletes up to `limit` settlement runs that ended SETTLEMENT_RUN_KEEP_DAYS ago, and says how many. The statements
 * that they closed stay.
 */
export function pruneSettlementRuns(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  limit: number,
): Promise<number> {
  const before = addMs(clock.now(), -config.settlementRunKeepDays * DAY);
  return db.transact((tx) => deleteFinishedRuns(tx, before, limit));
}
