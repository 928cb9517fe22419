import type { Posting } from '../../money/ledger/ledger-entry.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';

export const COMMISSION_TYPES = ['accrued', 'pending', 'paid_out', 'reversed'] as const;

/** The state of a commission, and the type of a line in its history. */
export type CommissionType = (typeof COMMISSION_TYPES)[number];

/** An attributed sale. */
export interface ReferredSale {
  orderId: string;
  linkId: string;
  /** The affiliate. */
  partnerId: string;
  environment: Environment;
  /** The sale price of the domain. */
  price: Money;
  commission: Money;
  state: CommissionType;
}

/** A new line of the history: a change in what we owe the affiliate. */
export interface NewCommissionLine {
  partnerId: string;
  environment: Environment;
  type: CommissionType;
  amount: Money;
  orderId: string | null;
  payoutId: string | null;
}

/** A line of the history, with the balance after it. */
export interface CommissionLine extends NewCommissionLine {
  id: string;
  position: number;
  balance: Money;
  createdAt: Date;
}

type Commission = Pick<ReferredSale, 'orderId' | 'partnerId' | 'environment' | 'commission'>;

/** Returns the lines for a sale: the commission is accrued, provided the sale is not reversed. */
export function accrualLines(sale: Commission): NewCommissionLine[] {
  return lines(sale, [['accrued', sale.commission]]);
}

/** Returns the lines for a settled sale: the commission moves from accrued to pending. */
export function pendingLines(sale: Commission): NewCommissionLine[] {
  return lines(sale, [
    ['accrued', sale.commission.negated()],
    ['pending', sale.commission],
  ]);
}

/** Returns the lines for a reversed sale: nothing is owed for it anymore, and a paid commission is owed to us. */
export function reversalLines(sale: Commission): NewCommissionLine[] {
  return lines(sale, [['reversed', sale.commission.negated()]]);
}

/** Returns no lines for a commission of zero. */
function lines(
  { orderId, partnerId, environment, commission }: Commission,
  changes: readonly [CommissionType, Money][],
): NewCommissionLine[] {
  if (commission.amount === 0) return [];
  const whose = { partnerId, environment, orderId, payoutId: null };
  return changes.map(([type, amount]) => ({ ...whose, type, amount }));
}

/** Returns the ledger postings of an accrual. */
export function referralPostings(commission: Money): Posting[] {
  return [
    { account: 'referral_commission', amount: commission },
    { account: 'referral_payable', amount: commission.negated() },
  ];
}
