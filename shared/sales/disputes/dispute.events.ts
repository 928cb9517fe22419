import { Type } from 'typebox';
import { defineEvents, type NewEvent, newEvent } from '../../messaging/event-types/event.ts';
import {
  DISPUTE_STATUSES,
  type Dispute,
  type DisputeStatus,
} from '../../money/payments/dispute.ts';
import { Instant } from '../../platform/json-schema.ts';
import { exampleOrder, OrderInEvent, orderPayload } from '../orders/order.events.ts';
import type { Order } from '../orders/order.ts';

const DisputeInEvent = Type.Object(
  {
    id: Type.String({ description: 'The dispute ID.' }),
    status: Type.Enum([...DISPUTE_STATUSES], { description: 'The status after this step.' }),
    reason: Type.String({ description: "The bank's reason, such as `fraudulent`." }),
    amount_cents: Type.Integer({ description: 'The disputed amount, in minor units.' }),
    currency: Type.String({ description: 'ISO 4217.' }),
    occurred_at: { ...Instant, description: 'When this step happened.' },
  },
  { title: 'DisputeInEvent', description: 'The dispute after this step.' },
);

const DisputeEventData = Type.Object(
  { order: OrderInEvent, dispute: DisputeInEvent },
  { title: 'DisputeEventData' },
);

const example = (status: DisputeStatus) => ({
  order: exampleOrder('TRANSFER_COMPLETED'),
  dispute: {
    id: 'dsp_01k6q0v3b5ewyszm8k2n4p6r8t',
    status,
    reason: 'fraudulent',
    amount_cents: 485_000,
    currency: 'USD',
    occurred_at: '2026-11-21T09:30:00.000Z',
  },
});

/** The events for the steps of a dispute. */
export const DISPUTE_EVENTS = defineEvents(
  { about: 'order', data: DisputeEventData },
  {
    'order.disputed': {
      when: 'The buyer disputes the payment at the bank; your payout of it is held.',
      example: example('needs_response'),
    },
    'order.dispute_closed': {
      when: 'A dispute ended. If it was lost over the whole price, `order.refunded` follows, unless the order was refunded before.',
      example: example('won'),
    },
  },
);

/** Creates a dispute event with the current state of the dispute and its order. */
export function disputeEvent(
  type: keyof typeof DISPUTE_EVENTS,
  order: Order,
  { id, status, reason, amount, updatedAt }: Dispute,
): NewEvent {
  return newEvent(DISPUTE_EVENTS[type], order.id, {
    order: orderPayload(order),
    dispute: {
      id,
      status,
      reason,
      amount_cents: amount.amount,
      currency: amount.currency,
      occurred_at: updatedAt.toISOString(),
    },
  });
}
