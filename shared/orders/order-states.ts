import type { EventType } from '../events/event.ts';

export const ORDER_STATUSES = [
  'EXTERNALLY_PAID',
  'MANUAL_REVIEW',
  'PAID',
  'TRANSFER_IN_PROGRESS',
  'TRANSFER_COMPLETED',
  'SETTLED',
  'REFUNDED',
  'CANCELLED',
] as const;

export type OrderStatus = (typeof ORDER_STATUSES)[number];

export interface OrderMove {
  from: readonly OrderStatus[];
  to: OrderStatus;
  event: EventType;
}

/** Every move an order can make; there is no other way to change its status. Drawn in docs/states.md. */
export const ORDER_MOVES = {
  clear: { from: ['MANUAL_REVIEW'], to: 'EXTERNALLY_PAID', event: 'order.manual_review_cleared' },
  start_transfer: {
    from: ['EXTERNALLY_PAID', 'PAID'],
    to: 'TRANSFER_IN_PROGRESS',
    event: 'order.transfer_started',
  },
  confirm_delivery: {
    from: ['TRANSFER_IN_PROGRESS'],
    to: 'TRANSFER_COMPLETED',
    event: 'order.transfer_completed',
  },
  settle: { from: ['TRANSFER_COMPLETED'], to: 'SETTLED', event: 'order.settled' },
  refund: {
    from: ['EXTERNALLY_PAID', 'PAID', 'MANUAL_REVIEW', 'TRANSFER_IN_PROGRESS'],
    to: 'REFUNDED',
    event: 'order.refunded',
  },
  cancel: {
    from: ['EXTERNALLY_PAID', 'PAID', 'MANUAL_REVIEW'],
    to: 'CANCELLED',
    event: 'order.refunded',
  },
  claw_back: {
    from: ['TRANSFER_COMPLETED', 'SETTLED'],
    to: 'REFUNDED',
    event: 'order.refunded',
  },
} as const satisfies Record<string, OrderMove>;

export type OrderMoveName = keyof typeof ORDER_MOVES;
