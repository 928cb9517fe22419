import type { Environment } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';
import type { OrderMoveName, OrderStatus } from '../orders/order.ts';

export const REFUND_REASONS = [
  'requested_by_customer',
  'duplicate',
  'fraudulent',
  'other',
] as const;

export type RefundReason = (typeof REFUND_REASONS)[number];

/** The ways to reverse an order. Each is a move in the order's state table. */
export type RefundKind = Extract<OrderMoveName, 'refund' | 'cancel' | 'claw_back'>;

/** The completed or pending refund of an order. An order has at most one completed refund. */
export interface Refund {
  id: string;
  orderId: string;
  partnerId: string;
  environment: Environment;
  kind: 'refund' | 'cancellation' | 'clawback';
  amount: Money;
  reason: RefundReason;
  note: string | null;
  /** A key id, a user id, `provider`, or `cli:<account>`. */
  requestedBy: string;
  /** When the refund was requested. */
  createdAt: Date;
  /** When the order was refunded; null while its push is being stopped or staff have to decide. */
  completedAt: Date | null;
}

/** A refund that waits until the domain's push is known to be stopped, or until staff decide. */
export type RefundRequest = Pick<
  Refund,
  'id' | 'orderId' | 'partnerId' | 'environment' | 'reason' | 'note' | 'requestedBy' | 'createdAt'
>;

/** A pending refund that waits for a staff decision. */
export interface UndecidedRefund extends RefundRequest {
  domain: string;
  partnerName: string;
  amount: Money;
  /** The registrar's answer, or its lack of one. */
  cause: 'too_late' | 'unanswered';
  transferStatus: string;
  /** When the wait for the decision began. */
  since: Date;
}

/** Returns the kind of a refund by operators, who may refund at any time: a clawback after delivery. */
export function refundKindOf(status: OrderStatus): RefundKind {
  return status === 'TRANSFER_COMPLETED' || status === 'SETTLED' ? 'claw_back' : 'refund';
}
