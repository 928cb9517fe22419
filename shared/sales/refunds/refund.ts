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

/** How an order is taken back; each is a move of the order's state table. */
export type RefundKind = Extract<OrderMoveName, 'refund' | 'cancel' | 'claw_back'>;

/** An order taken back, or to be; at most one an order comes to its end. */
export interface Refund {
  id: string;
  orderId: string;
  partnerId: string;
  environment: Environment;
  kind: 'refund' | 'cancellation' | 'clawback';
  amount: Money;
  reason: RefundReason;
  note: string | null;
  /** A key id, a user's id, or `cli:<account>`. */
  requestedBy: string;
  /** When it was asked for. */
  createdAt: Date;
  /** When the order was taken back; null while the push of its domain is being stopped, or staff decides. */
  completedAt: Date | null;
}

/** A refund that waits until the push of the domain is known to be stopped, or until staff decides. */
export type RefundRequest = Pick<
  Refund,
  'id' | 'orderId' | 'partnerId' | 'environment' | 'reason' | 'note' | 'requestedBy' | 'createdAt'
>;

/** A held refund that staff has to decide about. */
export interface UndecidedRefund extends RefundRequest {
  domain: string;
  partnerName: string;
  amount: Money;
  /** What the registrar said, or did not say. */
  cause: 'too_late' | 'unanswered';
  transferStatus: string;
  /** Since when it waits for the decision. */
  since: Date;
}

/** The kind of a refund by operators, who may refund at any time; after delivery it claws back. */
export function refundKindOf(status: OrderStatus): RefundKind {
  return status === 'TRANSFER_COMPLETED' || status === 'SETTLED' ? 'claw_back' : 'refund';
}
