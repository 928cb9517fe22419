import { Type } from 'typebox';
import { defineEvents, type NewEvent, newEvent } from '../../messaging/event-types/event.ts';
import { DELIVERY_METHODS, type DeliveryMethod } from '../../people/partners/partner.ts';
import { Instant } from '../../platform/json-schema.ts';
import { exampleOrder, OrderInEvent, orderPayload } from '../orders/order.events.ts';
import type { Order } from '../orders/order.ts';
import { DELIVERY_STATUSES, type Delivery, type DeliveryStatus } from './domain-delivery.ts';

const DeliveryInEvent = Type.Object(
  {
    method: Type.Enum([...DELIVERY_METHODS], {
      description: 'How the domain is transferred to its buyer.',
    }),
    status: Type.Enum([...DELIVERY_STATUSES], { description: 'The status after this step.' }),
    expires_at: Type.Optional({
      ...Instant,
      description: 'When the claim link or authorization code expires.',
    }),
    requested_by: Type.Optional(
      Type.String({
        description: 'The registrar that requested the domain, as named by the registry.',
      }),
    ),
    occurred_at: { ...Instant, description: 'When this step happened.' },
  },
  { title: 'OrderDeliveryInEvent', description: 'The delivery after this step.' },
);

const DeliveryEventData = Type.Object(
  { order: OrderInEvent, delivery: DeliveryInEvent },
  { title: 'OrderDeliveryEventData' },
);

const example = (
  method: DeliveryMethod,
  status: DeliveryStatus,
  more: { expires_at?: string; requested_by?: string } = {},
) => ({
  order: exampleOrder('TRANSFER_IN_PROGRESS'),
  delivery: { method, status, ...more, occurred_at: '2026-11-21T09:30:00.000Z' },
});

/** The events for the steps by which a domain goes from us to its buyer. */
export const DELIVERY_EVENTS = defineEvents(
  { about: 'order', data: DeliveryEventData },
  {
    'transfer.released': {
      when: 'The domain can move to your registrar: request its authorization code.',
      example: example('partner_registrar', 'awaiting_claim', {
        expires_at: '2027-02-19T09:30:00.000Z',
      }),
    },
    'order.delivery_ready': {
      when: 'The domain can be fetched: the buyer has a claim link, or you have the authorization code.',
      example: example('account', 'awaiting_claim', { expires_at: '2027-02-19T09:30:00.000Z' }),
    },
    'transfer.requested': {
      when: 'A registrar requested the domain with the code, and we approved it.',
      example: example('partner_registrar', 'pending_transfer', { requested_by: 'REG-100' }),
    },
    'transfer.expired': {
      when: 'The claim link or the authorization code expired before the domain was claimed or transferred.',
      example: example('partner_registrar', 'expired'),
    },
  },
);

export type DeliveryEventType = keyof typeof DELIVERY_EVENTS;

/** Creates an event with the current state of an order and its delivery. */
export function deliveryEvent(type: DeliveryEventType, order: Order, delivery: Delivery): NewEvent {
  const { method, status, expiresAt, requestedBy, since } = delivery;
  return newEvent(DELIVERY_EVENTS[type], order.id, {
    order: orderPayload(order),
    delivery: {
      method,
      status,
      ...(expiresAt && { expires_at: expiresAt.toISOString() }),
      ...(requestedBy !== null && { requested_by: requestedBy }),
      occurred_at: since.toISOString(),
    },
  });
}
