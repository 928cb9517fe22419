import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Environment } from '../../platform/config/config.ts';
import { idOf, type ListPage, type Page, readPage } from '../../platform/page.ts';
import * as store from './order-worklist.store.ts';

export type { WorklistOrder, WorklistStage } from './order-worklist.store.ts';
export { STAGE_COUNT_UP_TO } from './order-worklist.store.ts';

/** Lists the orders of all partners that wait in a stage, sorted by when they were recorded. */
export function listOrdersInStage(
  { db }: { db: Database },
  stage: store.WorklistStage,
  page: ListPage & { environment: Environment | null },
): Promise<Page<store.WorklistOrder>> {
  const read = (limit: number) => store.readStage(db.knex, stage, { ...page, limit });
  return readPage(page.limit, read, idOf);
}

/** Counts the orders that wait in each stage, up to {@link STAGE_COUNT_UP_TO}. */
export function countOrdersByStage(
  { db }: { db: Database },
  environment: Environment | null,
): Promise<Record<store.WorklistStage, number>> {
  return store.countStages.one(db.knex, { environment });
}

/** Lists the orders of all partners. */
export function listAllOrders(
  { db }: { db: Database },
  filter: store.AllOrdersFilter,
  page: ListPage,
): Promise<Page<store.WorklistOrder>> {
  const read = (limit: number) => store.readOrders(db.knex, filter, { ...page, limit });
  return readPage(page.limit, read, idOf);
}
