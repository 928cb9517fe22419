import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { orderEvent } from './order.events.ts';
import { ORDER_MOVES, type OrderOwner } from './order.ts';
import { assignToSettlement, type DeliveredOrder, lockDelivered } from './settle-orders.store.ts';

export type { DeliveredOrder };

/**
 * Puts up to `limit` orders that were delivered by an instant and are in no statement yet into `settlementId`. They
 * become `SETTLED`, except orders that were clawed back meanwhile, which keep their status.
 */
export async function settleDeliveredOrders(
  uow: UnitOfWork,
  owner: OrderOwner,
  batch: { currency: string; deliveredBy: Date; limit: number; settlementId: string },
): Promise<DeliveredOrder[]> {
  const orders = await lockDelivered(uow.sql, owner, {
    currency: batch.currency,
    deliveredBy: batch.deliveredBy,
    limit: batch.limit,
  });
  if (orders.length === 0) return orders;
  const move = ORDER_MOVES.settle;
  const ids = orders.map((order) => order.id);
  const moved = await assignToSettlement(uow.sql, ids, move, {
    settlementId: batch.settlementId,
    now: uow.now,
  });
  const events = orders
    .filter((order) => moved.has(order.id))
    .map((order) => orderEvent(move.event, { ...order, status: move.to }));
  uow.events.add(owner, ...events);
  return orders;
}
