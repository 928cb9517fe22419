import type { Environment } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';

/** Money that staff gives back to a buyer by hand, since we have no record of the payment that could be refunded. */
export interface Repayment {
  orderId: string;
  partnerId: string;
  environment: Environment;
  domain: string;
  buyerEmail: string;
  amount: Money;
  status: 'owed' | 'paid';
  /** The bank's reference of the payment to the buyer; null while it is owed. */
  reference: string | null;
  createdAt: Date;
  paidAt: Date | null;
}
