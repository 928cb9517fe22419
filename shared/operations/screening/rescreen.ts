import type { JobReference } from '../../messaging/jobs/job.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { noteRescreened } from '../../people/screening/import-list.ts';
import { type ScreenedPart, screenOpenOrders } from '../../sales/orders/screen-order.ts';
import { screenPayees } from '../../settlement/payouts/screen-payee.ts';

/** Parties of one statement. */
const PART = 50;

/** How many parties were compared again, and how many matches are new. */
export interface Rescreened {
  orders: number;
  payees: number;
  hits: number;
}

/**
 * Compares the buyers of all LIVE orders that are not delivered, and all payees, with the lists, and holds those that
 * match. Any number of runs find a match once. `betweenParts` may throw to stop.
 */
export async function rescreen(
  { db }: { db: Database },
  job: JobReference,
  { list, version }: { list: string; version: number },
  betweenParts: (soFar: Rescreened) => void,
): Promise<Rescreened> {
  const found: Rescreened = { orders: 0, payees: 0, hits: 0 };
  const all = async (
    what: 'orders' | 'payees',
    screen: (scope: { db: Database }, after: string, limit: number) => Promise<ScreenedPart>,
  ) => {
    for (let after: string | null = ''; after !== null; ) {
      const { screened, hits, last }: ScreenedPart = await screen({ db }, after, PART);
      found[what] += screened;
      found.hits += hits;
      after = last;
      betweenParts(found);
    }
  };
  await all('orders', screenOpenOrders);
  await all('payees', screenPayees);
  await db.transact(async (uow) => {
    await noteRescreened(uow, { list, version, ...found });
    uow.jobs.finish(job);
  });
  return found;
}
