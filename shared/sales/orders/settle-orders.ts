import type { NewEvent } from '../../delivery/events/event.ts';
import type { Tx } from '../../platform/database/database.ts';
import { assignToSettlement, type DeliveredOrder, lockDelivered } from './order.store.ts';
import { ORDER_MOVES, type OrderOwner, orderEvent } from './order.ts';

export type { DeliveredOrder };

/**
 * Takes up to `limit` orders that were delivered by an instant and are in no statement yet, and puts them
 * into `settlementId`. The ones that were clawed back meanwhile keep their status. Returns the orders, and
 * the events of those that became `SETTLED` for the caller to record, last.
 */
export async function settleDeliveredOrders(
  tx: Tx,
  owner: OrderOwner,
  batch: { currency: string; deliveredBy: Date; limit: number; settlementId: string; now: Date },
): Promise<{ orders: DeliveredOrder[]; events: NewEvent[] }> {
  const orders = await lockDelivered(tx, owner, {
    currency: batch.currency,
    deliveredBy: batch.deliveredBy,
    limit: batch.limit,
  });
  if (orders.length === 0) return { orders, events: [] };
  const move = ORDER_MOVES.settle;
  const ids = orders.map((order) => order.id);
  const moved = await assignToSettlement(tx, ids, move, {
    settlementId: batch.settlementId,
    now: batch.now,
  });
  const events = orders
    .filter((order) => moved.has(order.id))
    .map((order) => orderEvent(move.event, { ...order, status: move.to }));
  return { orders, events };
}
