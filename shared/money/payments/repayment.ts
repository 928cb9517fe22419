import type { Environment } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';

/** An amount that staff repay to a buyer by hand: no payment is recorded, or its provider does not refund it. */
export interface Repayment {
  orderId: string;
  partnerId: string;
  environment: Environment;
  domain: string;
  buyerEmail: string;
  amount: Money;
  status: 'owed' | 'paid';
  /** The bank's reference of the payment to the buyer; null while owed. */
  reference: string | null;
  createdAt: Date;
  paidAt: Date | null;
}
