import type { EventType, NewEvent } from '../events/event.ts';
import type { Order } from './order.ts';

/** What an event needs of an order. */
export type OrderInEvent = Pick<Order, 'id' | 'domain' | 'status' | 'price'>;

/** The five fields of an order that every event carries; no personal data. */
export function orderPayload(order: OrderInEvent) {
  return {
    public_id: order.id,
    domain: order.domain,
    status: order.status,
    sale_price_cents: order.price.amount,
    currency: order.price.currency,
  };
}

/** An `order.*` event about an order as it stands now. */
export function orderEvent(type: EventType, order: OrderInEvent): NewEvent {
  return { type, subject: order.id, data: { order: orderPayload(order) } };
}
