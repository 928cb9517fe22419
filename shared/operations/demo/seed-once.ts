import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import { insertSeed, selectSeed } from './demo-seeds.store.ts';

/**
 * Seeds a part of the demo marketplace unless that was done before: later changes and deletions are kept. `make` may
 * be interrupted and run again, so it must only create what is missing. Returns whether it ran.
 */
export async function seedOnce(
  { db, clock }: { db: Database; clock: Clock },
  part: string,
  make: () => Promise<unknown>,
): Promise<boolean> {
  if (await selectSeed.first(db.knex, { part })) return false;
  await make();
  await insertSeed.run(db.knex, { part, now: clock.now() });
  return true;
}
