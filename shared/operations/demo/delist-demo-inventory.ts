import { delistListedWithin } from '../../market/inventory/change-listings.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import { selectSeed } from './demo-seeds.store.ts';

/** The number of names per transaction. */
const BATCH = 1_000;

/**
 * Delists the generated LIVE inventory, whose names have no owner here. Names listed before or after the inventory was
 * generated stay listed, and so does the sandbox inventory. Returns how many it delisted.
 */
export async function delistDemoInventory(
  { db }: { db: Database },
  actor: string,
): Promise<number> {
  // The LIVE inventory was generated right after the sandbox inventory.
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
