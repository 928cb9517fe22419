import { delistListedWithin } from '../../market/inventory/change-listings.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import { selectSeed } from './demo-seeds.store.ts';

/** Names a transaction takes. */
const BATCH = 1_000;

/**
 * Takes the made-up LIVE inventory off the market: nobody owns its names, or somebody else does. Names that were listed
 * before or after it was made stay, and so does the sandbox's. Says how many were taken off.
 */
export async function delistDemoInventory(
  { db }: { db: Database },
  actor: string,
): Promise<number> {
  // The inventory of LIVE was made right after that of the sandbox.
  const begun = await selectSeed.first(db.knex, { part: 'inventory SANDBOX' });
  const made = await selectSeed.first(db.knex, { part: 'inventory LIVE' });
  if (!begun || !made) return 0;
  let total = 0;
  for (;;) {
    const span = { from: begun.seededAt, to: made.seededAt, limit: BATCH };
    const count = await db.transact((uow) => delistListedWithin(uow, 'LIVE', span));
    total += count;
    if (count < BATCH) break;
  }
  if (total > 0) {
    const entry = { actor, action: 'demo:disable', subject: 'LIVE', after: { delisted: total } };
    await db.transact((uow) => recordAudit(uow, entry));
  }
  return total;
}
