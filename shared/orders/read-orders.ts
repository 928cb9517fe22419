import type { Database } from '../platform/db.ts';
import { noSuchOrder } from './move-order.ts';
import * as store from './order.store.ts';
import type { Order, OrderOwner } from './order.ts';

export type { OrderFilter, RefundRow, TransferRow } from './order.store.ts';

/** An order with timeline and transfer. @throws not_found, also for another partner's order */
export async function getOrderDetail({ db }: { db: Database }, owner: OrderOwner, id: string) {
  const detail = await store.findOrderDetail(db.knex, owner, id);
  if (!detail) throw noSuchOrder();
  return detail;
}

/** The same of any partner's order, and the partner's name; for ops. @throws not_found */
export async function getAnyOrderDetail({ db }: { db: Database }, id: string) {
  const detail = await store.findAnyOrderDetail(db.knex, id);
  if (!detail) throw noSuchOrder();
  return detail;
}

/** A partner's order. @throws not_found, also for another partner's order */
export async function getOrder(
  { db }: { db: Database },
  owner: OrderOwner,
  id: string,
): Promise<Order> {
  const order = await store.findOrder(db.knex, owner, id);
  if (!order) throw noSuchOrder();
  return order;
}

/** An order of any partner, for ops and workers. @throws not_found */
export async function getAnyOrder({ db }: { db: Database }, id: string): Promise<Order> {
  const order = await store.findAnyOrder(db.knex, id);
  if (!order) throw noSuchOrder();
  return order;
}

/** A page of a partner's orders, newest first. */
export function listOrders(
  { db }: { db: Database },
  owner: OrderOwner,
  filter: store.OrderFilter,
): Promise<Order[]> {
  return store.listOrders(db.knex, owner, filter);
}
