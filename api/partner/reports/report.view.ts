import type { Payout } from '../../../shared/payouts/payout.ts';
import type { Transaction, TransactionTotals } from '../../../shared/reports/transaction.ts';

/** A transaction as partners see it; the names are the columns of the CSV. */
export function transactionView(transaction: Transaction) {
  return {
    id: transaction.id,
    order_id: transaction.orderId,
    domain: transaction.domain,
    type: transaction.type,
    status: transaction.status,
    payment_model: transaction.paymentModel,
    sale_price_cents: transaction.salePriceCents,
    commission_cents: transaction.commissionCents,
    currency: transaction.currency,
    created_at: transaction.createdAt.toISOString(),
  };
}

export const TRANSACTION_COLUMNS = [
  'id',
  'order_id',
  'domain',
  'type',
  'status',
  'payment_model',
  'sale_price_cents',
  'commission_cents',
  'currency',
  'created_at',
] as const;

export function totalsView(totals: TransactionTotals) {
  return {
    currency: totals.currency,
    count: totals.count,
    gmv_cents: totals.gmvCents,
    commission_cents: totals.commissionCents,
  };
}

/** A payout as partners see it; the names are the columns of the CSV. */
export function payoutView(payout: Payout) {
  return {
    id: payout.id,
    source: payout.source,
    amount_cents: payout.amount.amount,
    currency: payout.amount.currency,
    status: payout.status,
    settlement_id: payout.settlementId,
    reference: payout.reference,
    created_at: payout.createdAt.toISOString(),
    paid_at: payout.paidAt?.toISOString() ?? null,
  };
}

export const PAYOUT_COLUMNS = [
  'id',
  'source',
  'amount_cents',
  'currency',
  'status',
  'settlement_id',
  'reference',
  'created_at',
  'paid_at',
] as const;
