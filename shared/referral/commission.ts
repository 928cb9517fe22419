import type { Posting } from '../ledger/entry.ts';
import type { Environment } from '../platform/config.ts';
import type { Cents } from '../platform/money.ts';

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
  amountCents: Cents;
  commissionCents: Cents;
  currency: string;
  state: CommissionType;
}

/** A line to be written: what changes in what we owe the affiliate. */
export interface NewCommissionLine {
  partnerId: string;
  environment: Environment;
  currency: string;
  type: CommissionType;
  amountCents: Cents;
  orderId: string | null;
  payoutId: string | null;
}

/** A line of the history, with what we owed after it. */
export interface CommissionLine extends NewCommissionLine {
  id: string;
  position: number;
  balanceCents: Cents;
  createdAt: Date;
}

type Commission = Pick<
  ReferredSale,
  'orderId' | 'partnerId' | 'environment' | 'currency' | 'commissionCents'
>;

/** The sale: we owe the commission, should the sale last. */
export function accrualLines(sale: Commission): NewCommissionLine[] {
  return lines(sale, [['accrued', sale.commissionCents]]);
}

/** The sale was settled: the commission leaves what is accrued and enters what is to be paid. */
export function pendingLines(sale: Commission): NewCommissionLine[] {
  return lines(sale, [
    ['accrued', -sale.commissionCents],
    ['pending', sale.commissionCents],
  ]);
}

/** The sale was taken back: nothing is owed for it any more, and what was paid is owed to us. */
export function reversalLines(sale: Commission): NewCommissionLine[] {
  return lines(sale, [['reversed', -sale.commissionCents]]);
}

/** Nothing is told of nothing. */
function lines(
  { orderId, partnerId, environment, currency, commissionCents }: Commission,
  changes: readonly [CommissionType, Cents][],
): NewCommissionLine[] {
  if (commissionCents === 0) return [];
  const whose = { partnerId, environment, currency, orderId, payoutId: null };
  return changes.map(([type, amountCents]) => ({ ...whose, type, amountCents }));
}

/** The ledger's side of an accrual. */
export function referralPostings(currency: string, amountCents: Cents): Posting[] {
  return [
    { account: 'referral_commission', currency, amountCents },
    { account: 'referral_payable', currency, amountCents: -amountCents },
  ];
}
