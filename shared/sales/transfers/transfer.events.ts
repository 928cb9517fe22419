import { Type } from 'typebox';
import { TRANSFER_METHODS } from '../../domains/registrar/registrar.ts';
import { defineEvents, type NewEvent, newEvent } from '../../messaging/event-types/event.ts';
import { Instant } from '../../platform/json-schema.ts';
import { exampleOrder, OrderInEvent, orderPayload } from '../orders/order.events.ts';
import type { Order } from '../orders/order.ts';
import { TRANSFER_STATUSES, type Transfer, type TransferStatus } from './transfer.ts';

const TransferInEvent = Type.Object(
  {
    id: Type.String({ description: 'The transfer ID.' }),
    status: Type.Enum([...TRANSFER_STATUSES], { description: 'The status after this step.' }),
    method: Type.Enum([...TRANSFER_METHODS], { description: 'The method of the transfer.' }),
    reason: Type.Optional(
      Type.String({ description: 'What needs to be done, or why the transfer failed.' }),
    ),
    occurred_at: { ...Instant, description: 'When this step happened.' },
  },
  { title: 'TransferInEvent', description: 'The transfer after this step.' },
);

const TransferEventData = Type.Object(
  { order: OrderInEvent, transfer: TransferInEvent },
  { title: 'TransferEventData' },
);

const example = (status: TransferStatus, more: { method?: 'auth_code'; reason?: string } = {}) => ({
  order: exampleOrder('TRANSFER_IN_PROGRESS'),
  transfer: {
    id: 'trf_01k6q0v3b5ewyszm8k2n4p6r8t',
    status,
    method: 'push' as const,
    ...more,
    occurred_at: '2026-11-21T09:30:00.000Z',
  },
});

/** The events for the steps of a domain's transfer. */
export const TRANSFER_EVENTS = defineEvents(
  { about: 'order', data: TransferEventData },
  {
    'transfer.initiated': {
      when: 'The registrar was asked to push the domain.',
      example: example('pushing'),
    },
    'transfer.auth_code_ready': {
      when: 'The domain is at another registrar, and its transfer was requested with the authorization code.',
      example: example('pushing', { method: 'auth_code' }),
    },
    'transfer.pending_registry': {
      when: 'The registry is working on the transfer.',
      example: example('pending_registry'),
    },
    'transfer.action_required': {
      when: 'Someone has to act before the transfer can continue.',
      example: example('action_required', { reason: 'registrar_unreachable' }),
    },
    'transfer.completed': {
      when: 'The registrar reports the domain as moved.',
      example: example('completed'),
    },
    'transfer.failed': {
      when: 'The transfer failed. The order stays `TRANSFER_IN_PROGRESS` until an operator retries or refunds it.',
      example: example('failed', { reason: 'registrar_rejected' }),
    },
    'transfer.cancelled': {
      when: 'The transfer was stopped, for a refund.',
      example: example('cancelled'),
    },
  },
);

export type TransferEventType = keyof typeof TRANSFER_EVENTS;

/** Creates a `transfer.*` event with the current state of an order and its transfer. */
export function transferEvent(type: TransferEventType, order: Order, transfer: Transfer): NewEvent {
  const { id, status, method, reason, updatedAt } = transfer;
  return newEvent(TRANSFER_EVENTS[type], order.id, {
    order: orderPayload(order),
    transfer: {
      id,
      status,
      method,
      ...(reason !== null && { reason }),
      occurred_at: updatedAt.toISOString(),
    },
  });
}
