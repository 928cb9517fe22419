import {
  EVENT_TYPES,
  type EventDefinition,
  type EventType,
} from '../../shared/messaging/event-types/event.ts';
import { WEBHOOK_EVENTS } from '../../shared/messaging/webhooks/webhook.events.ts';
import { CASE_EVENTS } from '../../shared/sales/brokerage/brokerage.events.ts';
import { DISPUTE_EVENTS } from '../../shared/sales/disputes/dispute.events.ts';
import { OFFER_EVENTS } from '../../shared/sales/offers/offer.events.ts';
import { ORDER_ACTION_EVENTS, ORDER_EVENTS } from '../../shared/sales/orders/order.events.ts';
import { DELIVERY_EVENTS } from '../../shared/sales/transfers/domain-delivery.events.ts';
import { TRANSFER_EVENTS } from '../../shared/sales/transfers/transfer.events.ts';

/** Every event type by its name; a type without a definition does not compile. */
const DEFINITIONS: { readonly [T in EventType]: EventDefinition<T> } = {
  ...ORDER_EVENTS,
  ...ORDER_ACTION_EVENTS,
  ...DISPUTE_EVENTS,
  ...TRANSFER_EVENTS,
  ...DELIVERY_EVENTS,
  ...OFFER_EVENTS,
  ...CASE_EVENTS,
  ...WEBHOOK_EVENTS,
};

/** The definitions of all event types, in the order of {@link EVENT_TYPES}. */
export const EVENTS: readonly EventDefinition[] = EVENT_TYPES.map((type) => DEFINITIONS[type]);

/** The events that appear in the history: all but the ping. */
export const HISTORY_EVENTS = EVENTS.filter(({ type }) => type !== 'webhook.ping');
