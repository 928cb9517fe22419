import type { EventType, NewEvent } from '../events/event.ts';
import type { Order } from './order.ts';

/** The five fields of an order that every event carries; no personal data. */
export function orderPayload(order: Order) {
  return {
    public_id: order.id,
    domain: order.domain,
    status: order.status,
    sale_price_cents: order.salePriceCents,
    currency: order.currency,
  };
}

/** An `order.*` event about an order as it stands now. */
export function orderEvent(type: EventType, order: Order): NewEvent {
  return { type, subject: order.id, data: { order: orderPayload(order) } };
}
