import type { Posting } from '../ledger/entry.ts';
import type { Money } from '../platform/money.ts';
import type { PayableStatement } from './settlement.store.ts';

/** The ledger's side of a statement's payment: from what the partner owes to what has moved. */
export function settlementPaymentPostings(amountOwed: Money): Posting[] {
  return [
    { account: 'cash', amount: amountOwed },
    { account: 'partner_receivable', amount: amountOwed.negated() },
  ];
}

/**
 * What the ledger calls the present payment of a statement, and its reversal: the statement's id, with a number
 * from the second payment on (`stl_...#2`).
 */
export function ledgerPaymentReference({
  id,
  paymentReversals,
}: Pick<PayableStatement, 'id' | 'paymentReversals'>): string {
  return paymentReversals === 0 ? id : `${id}#${paymentReversals + 1}`;
}
