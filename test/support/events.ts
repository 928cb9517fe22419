import { EVENTS } from '../../api/partner/event-catalogue.ts';
import {
  type EventType,
  type NewEvent,
  newEvent,
} from '../../shared/messaging/event-types/event.ts';
import { Money } from '../../shared/platform/money.ts';
import { orderEvent } from '../../shared/sales/orders/order.events.ts';

/** Returns an event about an order; only its id is real. */
export function recordedOrder(id: string): NewEvent {
  return orderEvent('order.recorded', {
    id,
    domain: 'neonwallet.com',
    status: 'EXTERNALLY_PAID',
    price: new Money(485_000, 'USD'),
  });
}

/** Returns an event of any type about a subject, with its type's example data. */
export function exampleEvent(type: EventType, subject: string): NewEvent {
  const definition = EVENTS.find((each) => each.type === type);
  if (!definition) throw new Error(`${type} has no definition`);
  return newEvent(definition, subject, definition.example);
}
