import type { Environment } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import * as store from './order-work.store.ts';

export { WORK_STAGES, type WorkOrder, type WorkStage } from './order-work.store.ts';

/** A page of a list; `next` is where the page after it begins, null on the last one. */
export interface WorkPage {
  orders: store.WorkOrder[];
  next: string | null;
}

/** Orders of all partners that wait in a stage, oldest first; `after` is the last id of the page before. */
export async function listWork(
  { db }: { db: Database },
  stage: store.WorkStage,
  page: { environment: Environment | null; after: string | null; limit: number },
): Promise<WorkPage> {
  return cut(await store.listStage(db.knex, stage, { ...page, limit: page.limit + 1 }), page.limit);
}

/** How many orders wait in each stage. */
export function countWork(
  { db }: { db: Database },
  environment: Environment | null,
): Promise<Partial<Record<store.WorkStage, number>>> {
  return store.countStages(db.knex, environment);
}

/** Orders of all partners, newest first; `before` is the last id of the page before. */
export async function listAnyOrders(
  { db }: { db: Database },
  filter: store.AnyOrderFilter,
): Promise<WorkPage> {
  return cut(
    await store.listAnyOrders(db.knex, { ...filter, limit: filter.limit + 1 }),
    filter.limit,
  );
}

function cut(found: store.WorkOrder[], limit: number): WorkPage {
  const orders = found.slice(0, limit);
  return { orders, next: found.length > limit ? (orders.at(-1)?.id ?? null) : null };
}
