import type { Environment } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';

/** An amount that staff repay to a buyer by hand, because we have no record of a payment that could be refunded. */
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
