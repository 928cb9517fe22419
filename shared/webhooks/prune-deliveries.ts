import { type Clock, DAY, later } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { deleteFinished } from './dispatch.store.ts';

const BATCH = 1_000;

/** Deletes finished deliveries past their keep, in short statements, until done or told to stop; returns how many. */
export async function pruneDeliveries(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  signal: AbortSignal,
): Promise<number> {
  const before = later(clock.now(), -config.deliveryKeepDays * DAY);
  let total = 0;
  while (!signal.aborted) {
    const deleted = await deleteFinished(db.knex, before, BATCH);
    total += deleted;
    if (deleted < BATCH) break;
  }
  return total;
}
