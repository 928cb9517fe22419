import { type Expiry, keptMs } from '../../../db/retention.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { addMs, type Clock, dayOf } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { expiries } from './retention.store.ts';

interface Deps {
  db: Database;
  clock: Clock;
  config: Config;
}

/** The number of rows per statement: long statements hold locks and cause bloat. */
const BATCH = 1_000;

/**
 * Deletes the rows that are past their retention (`db/retention.ts`): a batch of each table in turn, so that no table
 * waits for another, until none is left or `signal` fires. Returns how many per table, without tables that had none.
 * @throws AggregateError after finishing the other tables, if rows of a table could not be deleted
 */
export async function deleteExpired(
  { db, clock, config }: Deps,
  signal?: AbortSignal,
): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {};
  const errors: unknown[] = [];
  const beforeOf = ({ time, dates }: Expiry) => {
    const at = addMs(clock.now(), -keptMs(time, config));
    return dates ? dayOf(at) : at;
  };
  let due = Object.entries(expiries).flatMap(([table, rules]) =>
    rules.map((rule) => ({ ...rule, table })),
  );
  while (due.length > 0) {
    const more: typeof due = [];
    for (const rule of due) {
      if (signal?.aborted) return deleted;
      const { table, deleteOldest, batch: limit = BATCH } = rule;
      try {
        const count = await deleteOldest.run(db.knex, { before: beforeOf(rule), limit });
        if (count > 0) deleted[table] = (deleted[table] ?? 0) + count;
        if (count === limit) more.push(rule);
      } catch (error) {
        errors.push(error);
      }
    }
    due = more;
  }
  if (errors.length > 0) throw new AggregateError(errors, errors.map(String).join('; '));
  return deleted;
}
