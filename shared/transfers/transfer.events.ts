import type { EventType, NewEvent } from '../events/event.ts';
import { orderPayload } from '../orders/order.events.ts';
import type { Order } from '../orders/order.ts';
import type { Transfer } from './transfer.ts';

/** A `transfer.*` event about an order and its transfer as they stand now. */
export function transferEvent(type: EventType, order: Order, transfer: Transfer): NewEvent {
  const { id, status, method, reason, updatedAt } = transfer;
  return {
    type,
    subject: order.id,
    data: {
      order: orderPayload(order),
      transfer: {
        id,
        status,
        method,
        ...(reason !== null && { reason }),
        occurred_at: updatedAt.toISOString(),
      },
    },
  };
}
