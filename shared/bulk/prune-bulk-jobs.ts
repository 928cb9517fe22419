import type { Clock } from '../platform/clock.ts';
import { addMs, DAY } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { deleteFinished } from './bulk.store.ts';

/** Deletes up to `limit` bulk jobs that ended BULK_KEEP_DAYS ago, with their results; returns how many. */
export function pruneBulkJobs(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  limit: number,
): Promise<number> {
  return deleteFinished(db.knex, addMs(clock.now(), -config.bulkKeepDays * DAY), limit);
}
