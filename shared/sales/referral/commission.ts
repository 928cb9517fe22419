import type { Posting } from '../../money/ledger/ledger-entry.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';

export const COMMISSION_TYPES = ['accrued', 'pending', 'paid_out', 'reversed'] as const;

/** Where a commission stands, and what a line of its history tells. */
export type CommissionType = (typeof COMMISSION_TYPES)[number];

/** An attributed sale. */
export interface ReferredSale {
  orderId: string;
  linkId: string;
  /** The affiliate. */
  partnerId: string;
  environment: Environment;
  /** What the domain was sold for. */
  price: Money;
  commission: Money;
  state: CommissionType;
}

/** A line to be written: what changes in what we owe the affiliate. */
export interface NewCommissionLine {
  partnerId: string;
  environment: Environment;
  type: CommissionType;
  amount: Money;
  orderId: string | null;
  payoutId: string | null;
}

/** A line of the history, with what we owed after it. */
export interface CommissionLine extends NewCommissionLine {
  id: string;
  position: number;
  balance: Money;
  createdAt: Date;
}

type Commission = Pick<ReferredSale, 'orderId' | 'partnerId' | 'environment' | 'commission'>;

/** The sale: we owe the commission, should the sale last. */
export function accrualLines(sale: Commission): NewCommissionLine[] {
  return lines(sale, [['accrued', sale.commission]]);
}

/** The sale was settled: the commission leaves what is accrued and enters what is to be paid. */
export function pendingLines(sale: Commission): NewCommissionLine[] {
  return lines(sale, [
    ['accrued', sale.commission.negated()],
    ['pending', sale.commission],
  ]);
}

/** The sale was taken back: nothing is owed for it any more, and what was paid is owed to us. */
export function reversalLines(sale: Commission): NewCommissionLine[] {
  return lines(sale, [['reversed', sale.commission.negated()]]);
}

/** Nothing is told of nothing. */
function lines(
  { orderId, partnerId, environment, commission }: Commission,
  changes: readonly [CommissionType, Money][],
): NewCommissionLine[] {
  if (commission.amount === 0) return [];
  const whose = { partnerId, environment, orderId, payoutId: null };
  return changes.map(([type, amount]) => ({ ...whose, type, amount }));
}

/** The ledger's side of an accrual. */
export function referralPostings(commission: Money): Posting[] {
  return [
    { account: 'referral_commission', amount: commission },
    { account: 'referral_payable', amount: commission.negated() },
  ];
}
