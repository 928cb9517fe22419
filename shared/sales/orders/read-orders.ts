import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { PartitionedLog } from '../../platform/database/partitioned-log.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { firstIdOf } from '../../platform/ids.ts';
import { type Page, readPage, type TimePosition, timeOf } from '../../platform/page.ts';
import { orderNotFound } from './move-order.ts';
import * as store from './order.store.ts';
import type { Order, OrderOwner } from './order.ts';
import { readDetail, readOwnDetail } from './order-detail.store.ts';

export type { DeliverySummary, RefundSummary, TransferSummary } from './order-detail.store.ts';

/** The timelines of all orders, in monthly partitions that are never dropped. */
export const TIMELINE_LOG: PartitionedLog = {
  table: 'order_timeline',
  key: 'order_id',
  firstIdAt: firstIdOf('order'),
  period: 'month',
};

/** Returns an order with its timeline, transfer and documents. @throws not_found, also for another partner's order */
export async function getOrderDetail({ db }: { db: Database }, owner: OrderOwner, id: string) {
  const detail = await readOwnDetail(db.knex, owner, id);
  if (!detail) throw orderNotFound();
  return detail;
}

/** Like {@link getOrderDetail}, for any partner's order, with the fields that only staff see. @throws not_found */
export async function getOrderDetailById({ db }: { db: Database }, id: string) {
  const detail = await readDetail(db.knex, id);
  if (!detail) throw orderNotFound();
  return detail;
}

/** Returns a partner's order. @throws not_found, also for another partner's order */
export async function getOrder(
  { db }: { db: Database },
  owner: OrderOwner,
  id: string,
): Promise<Order> {
  const order = await store.readOwnOrder(db.knex, owner, id);
  if (!order) throw orderNotFound();
  return order;
}

/** Returns an order of any partner, for operators and workers. @throws not_found */
export async function getOrderById({ db }: { db: Database }, id: string): Promise<Order> {
  const order = await store.readOrder(db.knex, id);
  if (!order) throw orderNotFound();
  return order;
}

/** Lists a page of a partner's orders, newest first. */
export function listOrders(
  { db }: { db: Database },
  owner: OrderOwner,
  filter: store.OrderFilter,
): Promise<Page<Order, TimePosition>> {
  const read = (limit: number) => store.readOrders(db.knex, owner, { ...filter, limit });
  return readPage(filter.limit, read, timeOf);
}

/** Returns whether a partner has orders. */
export async function hasOrders({ db }: { db: Database }, owner: OrderOwner): Promise<boolean> {
  const any = { statuses: null, domain: null, from: null, to: null, before: null, limit: 1 };
  return (await store.readOrders(db.knex, owner, any)).length > 0;
}

/** Returns whether a domain has a sale, not reversed, that was made since an instant or is not yet delivered. */
export async function wasSoldSince(
  sql: Sql,
  { environment, domain }: Pick<Order, 'environment' | 'domain'>,
  since: Date,
): Promise<boolean> {
  const sale = await store.selectSaleSince.first(sql, { environment, domain, since });
  return sale !== undefined;
}
