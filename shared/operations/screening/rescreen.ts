import { screenChanges } from '../../domains/domain-registrants/change-registrant.ts';
import type { JobReference } from '../../messaging/jobs/job.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { noteRescreened } from '../../people/screening/import-list.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import { screenOpenOrders } from '../../sales/orders/rescreen-orders.ts';
import type { ScreenedPart } from '../../sales/orders/screen-order.ts';
import { screenPayees } from '../../settlement/payouts/screen-payee.ts';

/** Parties of one statement. */
const PART = 50;

/** How many parties were compared again, and how many matches are new. */
export interface Rescreened {
  orders: number;
  /** Changes of registrants that owners asked for. */
  changes: number;
  payees: number;
  hits: number;
}

/**
 * Compares buyers and registrants of all LIVE orders that are not delivered, changes of registrants under way, and all payees, with the lists, and holds those that
 * match. Any number of runs find a match once. `betweenParts` may throw to stop.
 */
export async function rescreen(
  scope: { db: Database; secrets: SecretBox },
  job: JobReference,
  { list, version }: { list: string; version: number },
  betweenParts: (soFar: Rescreened) => void,
): Promise<Rescreened> {
  const found: Rescreened = { orders: 0, changes: 0, payees: 0, hits: 0 };
  const all = async (
    what: 'orders' | 'changes' | 'payees',
    screen: (of: typeof scope, after: string, limit: number) => Promise<ScreenedPart>,
  ) => {
    for (let after: string | null = ''; after !== null; ) {
      const { screened, hits, last }: ScreenedPart = await screen(scope, after, PART);
      found[what] += screened;
      found.hits += hits;
      after = last;
      betweenParts(found);
    }
  };
  await all('orders', screenOpenOrders);
  await all('changes', screenChanges);
  await all('payees', screenPayees);
  await scope.db.transact(async (uow) => {
    await noteRescreened(uow, { list, version, ...found });
    uow.jobs.finish(job);
  });
  return found;
}
