import type { Environment } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';

/** An amount that staff repay to a buyer by hand: no payment is recorded, or its provider does not refund it. */
export interface Repayment {
  /** What identifies it: its order's ID, or without an order its payment's. */
  id: string;
  /** Null for a renewal, and for money that arrived too late to buy anything. */
  orderId: string | null;
  /** Null if it is of an order. */
  paymentId: string | null;
  /** The renewal that the payment was for, if any. */
  renewalId: string | null;
  /** The payment's reference at its provider; null if it is of an order. */
  providerReference: string | null;
  /** Null for a renewal. */
  partnerId: string | null;
  environment: Environment;
  domain: string;
  /** Null if the money arrived after the buyer's data was erased; the provider knows who paid. */
  buyerEmail: string | null;
  amount: Money;
  status: 'owed' | 'paid';
  /** The bank's reference of the payment to the buyer; null while owed. */
  reference: string | null;
  createdAt: Date;
  paidAt: Date | null;
}
