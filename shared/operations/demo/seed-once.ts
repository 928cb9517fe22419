import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import { insertSeed, selectSeed } from './demo-seeds.store.ts';

/**
 * Makes a part of the demo marketplace unless that was done before: what somebody deleted or changed since stays so.
 * `make` may be cut off and then begins anew, so it makes what is missing. Says whether it ran.
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
