import type { Environment } from '../../platform/config/config.ts';
import type { Cents } from '../../platform/money.ts';
import type { OrderStatus, PaymentModel } from '../../sales/orders/order.ts';

export const TRANSACTION_TYPES = ['sale', 'refund', 'clawback'] as const;

type TransactionType = (typeof TRANSACTION_TYPES)[number];

export interface TransactionOwner {
  partnerId: string;
  environment: Environment;
}

/** A sale or its reversal. Amounts of a refund or clawback are negative, so that sums add up. */
export interface Transaction {
  /** The ID of the ledger entry (txn_...). */
  id: string;
  orderId: string;
  domain: string;
  type: TransactionType;
  /** The current status of the order. */
  status: OrderStatus;
  paymentModel: PaymentModel;
  salePriceCents: Cents;
  commissionCents: Cents;
  currency: string;
  createdAt: Date;
}

/** The totals over all transactions of a filter in one currency. */
export interface TransactionTotals {
  currency: string;
  count: number;
  gmvCents: Cents;
  commissionCents: Cents;
}

/** The last row of a page. An order's sale precedes its reversal, even within a millisecond. */
export interface TransactionPosition {
  createdAt: Date;
  orderId: string;
  reversal: boolean;
}

export interface TransactionFilter {
  /** The earliest time of a transaction; the end of the range is exclusive. */
  from: Date | null;
  to: Date | null;
  statuses: readonly OrderStatus[] | null;
  paymentModels: readonly PaymentModel[] | null;
}

export interface TransactionPage {
  before: TransactionPosition | null;
  limit: number;
}
