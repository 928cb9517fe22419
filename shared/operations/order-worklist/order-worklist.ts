import type { Database } from '../../delivery/unit-of-work/database.ts';
import type { Environment } from '../../platform/config/config.ts';
import * as store from './order-worklist.store.ts';

export { WORKLIST_STAGES, type WorklistOrder, type WorklistStage } from './order-worklist.store.ts';

/** A page of a list; `next` is where the page after it begins, null on the last one. */
export interface WorklistPage {
  orders: store.WorklistOrder[];
  next: string | null;
}

/** Orders of all partners that wait in a stage, oldest first; `after` is the last id of the page before. */
export async function listOrdersInStage(
  { db }: { db: Database },
  stage: store.WorklistStage,
  page: { environment: Environment | null; after: string | null; limit: number },
): Promise<WorklistPage> {
  return toPage(
    await store.readStage(db.knex, stage, { ...page, limit: page.limit + 1 }),
    page.limit,
  );
}

/** How many orders wait in each stage. */
export function countOrdersByStage(
  { db }: { db: Database },
  environment: Environment | null,
): Promise<Record<store.WorklistStage, number>> {
  return store.countStages.one(db.knex, { environment });
}

/** Orders of all partners, newest first; `before` is the last id of the page before. */
export async function listAllOrders(
  { db }: { db: Database },
  filter: store.AllOrdersFilter,
): Promise<WorklistPage> {
  return toPage(
    await store.readOrders(db.knex, { ...filter, limit: filter.limit + 1 }),
    filter.limit,
  );
}

function toPage(found: store.WorklistOrder[], limit: number): WorklistPage {
  const orders = found.slice(0, limit);
  return { orders, next: found.length > limit ? (orders.at(-1)?.id ?? null) : null };
}
