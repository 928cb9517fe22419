import { type Static, Type } from 'typebox';
import { defineEvents, type NewEvent, newEvent } from '../../messaging/event-types/event.ts';
import {
  ORDER_ACTIONS,
  ORDER_STATUSES,
  type Order,
  type OrderAction,
  type OrderStatus,
} from './order.ts';

/** The order in the payload of its events. It contains no personal data. */
export const OrderInEvent = Type.Object(
  {
    public_id: Type.String({ description: 'The order ID.' }),
    domain: Type.String({ description: 'The domain that was sold.' }),
    status: Type.Enum([...ORDER_STATUSES], { description: 'The status after this step.' }),
    sale_price_cents: Type.Integer({ description: 'The price in minor units of `currency`.' }),
    currency: Type.String({ description: 'ISO 4217.' }),
  },
  { title: 'OrderInEvent', description: 'The order after this step.' },
);

const OrderEventData = Type.Object({ order: OrderInEvent }, { title: 'OrderEventData' });

/** Returns an order for the examples in the documentation. */
export function exampleOrder(status: OrderStatus): Static<typeof OrderInEvent> {
  return {
    public_id: 'ord_01k6q0v0zrf5bts0c4d6e8f9ga',
    domain: 'neonwallet.com',
    status,
    sale_price_cents: 485_000,
    currency: 'USD',
  };
}

const example = (status: OrderStatus) => ({ order: exampleOrder(status) });

/** The events for the steps of an order. */
export const ORDER_EVENTS = defineEvents(
  { about: 'order', data: OrderEventData },
  {
    'order.recorded': { when: 'A sale was recorded.', example: example('EXTERNALLY_PAID') },
    'order.manual_review_cleared': {
      when: 'A held order was cleared.',
      example: example('EXTERNALLY_PAID'),
    },
    'order.held': {
      when: 'A recorded order was put on hold for manual review.',
      example: example('MANUAL_REVIEW'),
    },
    'order.transfer_started': {
      when: 'The push of the domain began.',
      example: example('TRANSFER_IN_PROGRESS'),
    },
    'order.transfer_completed': {
      when: 'The domain was delivered; the settlement clock starts.',
      example: example('TRANSFER_COMPLETED'),
    },
    'order.settled': { when: 'The order is in a closed statement.', example: example('SETTLED') },
    'order.refunded': {
      when: 'The order was refunded, canceled or clawed back.',
      example: example('REFUNDED'),
    },
  },
);

/** The events for what an order waits for. */
export const ORDER_ACTION_EVENTS = defineEvents(
  {
    about: 'order',
    data: Type.Object(
      {
        order: OrderInEvent,
        action_required: Type.Enum([...ORDER_ACTIONS], {
          description: '`registrant_required`: provide the registrant of the domain.',
        }),
      },
      { title: 'OrderActionEventData' },
    ),
  },
  {
    'order.action_required': {
      when: 'The order needs something before its transfer can start.',
      example: { ...example('EXTERNALLY_PAID'), action_required: 'registrant_required' },
    },
  },
);

export type OrderEventType = keyof typeof ORDER_EVENTS;

/** The fields of an order that its events need. */
export type OrderFacts = Pick<Order, 'id' | 'domain' | 'status' | 'price'>;

/** Returns the order for the payload of an event. */
export function orderPayload(order: OrderFacts): Static<typeof OrderInEvent> {
  return {
    public_id: order.id,
    domain: order.domain,
    status: order.status,
    sale_price_cents: order.price.amount,
    currency: order.price.currency,
  };
}

/** Creates an `order.*` event with the current state of an order. */
export function orderEvent(type: OrderEventType, order: OrderFacts): NewEvent {
  return newEvent(ORDER_EVENTS[type], order.id, { order: orderPayload(order) });
}

/** Creates the event that an order waits for an action. */
export function orderActionEvent(order: OrderFacts, action: OrderAction): NewEvent {
  const data = { order: orderPayload(order), action_required: action };
  return newEvent(ORDER_ACTION_EVENTS['order.action_required'], order.id, data);
}
