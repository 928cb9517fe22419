import { addMs, DAY } from '../platform/clock.ts';
import { randomBase62 } from '../platform/ids.ts';
import type { Runtime } from '../runtime.ts';
import { addCounts, deleteBatches, insertBatch } from './click.store.ts';
import type { ClickBatch, ClickBuffer } from './click-buffer.ts';

type Deps = Pick<Runtime, 'db' | 'clock'>;

/** Far longer than a batch can lie in Redis. */
const KEEP_BATCHES_MS = 30 * DAY;

/**
 * Moves what was counted in Redis into the daily figures; returns how many figures of a link and day
 * changed. The counts are set aside as a batch under an id, and the id is kept in the transaction that
 * adds them: stopped anywhere, or done by two workers at once, each click is counted once.
 */
export async function rollUpClicks(scope: Deps, buffer: ClickBuffer): Promise<number> {
  const batch = await buffer.takeBatch(randomBase62(22));
  if (!batch) return 0;
  const changed = await applyBatch(scope, batch);
  await buffer.dropBatch(batch.id);
  return changed;
}

/** Adds a batch to the daily figures, once. */
export async function applyBatch({ db, clock }: Deps, batch: ClickBatch): Promise<number> {
  return db.transact(async (tx) => {
    if (!(await insertBatch(tx, batch.id, clock.now()))) return 0;
    await addCounts(tx, batch.counts);
    return batch.counts.length;
  });
}

/** Forgets the ids of batches that were counted long ago. */
export function pruneClickBatches({ db, clock }: Deps): Promise<number> {
  return deleteBatches(db.knex, addMs(clock.now(), -KEEP_BATCHES_MS));
}
