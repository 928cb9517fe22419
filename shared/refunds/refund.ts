import type { OrderMoveName, OrderStatus } from '../orders/order-states.ts';
import type { Environment } from '../platform/config.ts';
import type { Cents } from '../platform/money.ts';

export const REFUND_REASONS = [
  'requested_by_customer',
  'duplicate',
  'fraudulent',
  'other',
] as const;

export type RefundReason = (typeof REFUND_REASONS)[number];

/** How an order is taken back; each is a move of the order's state table. */
export type RefundKind = Extract<OrderMoveName, 'refund' | 'cancel' | 'claw_back'>;

/** An order taken back; there is at most one an order. */
export interface Refund {
  id: string;
  orderId: string;
  partnerId: string;
  environment: Environment;
  kind: 'refund' | 'cancellation' | 'clawback';
  amountCents: Cents;
  currency: string;
  reason: RefundReason;
  note: string | null;
  /** A key id, a user's id, or `cli:<account>`. */
  requestedBy: string;
  createdAt: Date;
}

/** For ops, who may refund at any time: what a refund is once the domain was delivered. */
export function refundKindOf(status: OrderStatus): RefundKind {
  return status === 'TRANSFER_COMPLETED' || status === 'SETTLED' ? 'claw_back' : 'refund';
}
