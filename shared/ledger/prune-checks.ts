import { addMs, type Clock, DAY } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { deleteChecks } from './check-ledger.store.ts';

/** Deletes up to `limit` recounts of the ledger that are LEDGER_CHECK_KEEP_DAYS old, but never the newest of the whole. */
export function pruneLedgerChecks(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  limit: number,
): Promise<number> {
  return deleteChecks(db.knex, addMs(clock.now(), -config.ledgerCheckKeepDays * DAY), limit);
}
