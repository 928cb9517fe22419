import type { Environment } from '../platform/config.ts';
import type { Cents } from '../platform/money.ts';

/**
 * The accounts of the ledger. Amounts are debit positive, credit negative.
 * - `partner_clearing`: what a partner collected for us and has no statement for yet
 * - `partner_receivable`: what closed statements say it owes
 * - `partner_payable`: commission we owe a partner for money that we collected
 * - `partner_commission`: the cost of commissions
 * - `sales`: the price of domains sold
 * - `cash`: money that has moved
 * - `payouts_in_transit`: payouts made by a settlement run that have not left the bank yet
 * - `referral_commission`: the cost of referrals
 * - `referral_payable`: commission we owe an affiliate
 */
const ACCOUNTS = [
  'partner_clearing',
  'partner_receivable',
  'partner_payable',
  'partner_commission',
  'sales',
  'cash',
  'payouts_in_transit',
  'referral_commission',
  'referral_payable',
] as const;

export type Account = (typeof ACCOUNTS)[number];

export interface Posting {
  account: Account;
  currency: string;
  amountCents: Cents;
}

export type EntryKind =
  | 'sale'
  | 'refund'
  | 'clawback'
  | 'settlement'
  | 'settlement_payment'
  | 'payout'
  | 'payout_payment'
  | 'payout_failure'
  | 'referral'
  | 'referral_reversal';

/** One balanced entry. `(kind, reference)` is unique: what is posted twice is posted once. */
export interface NewEntry {
  kind: EntryKind;
  reference: string;
  partnerId: string;
  environment: Environment;
  orderId: string | null;
  postings: readonly Posting[];
}

/** What an order's money looks like, whoever collected it. */
export interface SaleAmounts {
  paymentModel: 'merchant_of_record' | 'hosted_checkout' | 'brokerage';
  salePriceCents: Cents;
  commissionCents: Cents;
  currency: string;
}

/**
 * The postings of a sale. Merchant of record: the partner holds the price and keeps its commission.
 * Otherwise we hold the price and owe the commission. Zero lines are left out.
 */
export function salePostings(sale: SaleAmounts): Posting[] {
  const { salePriceCents: price, commissionCents: commission, currency } = sale;
  const held: Posting[] =
    sale.paymentModel === 'merchant_of_record'
      ? [{ account: 'partner_clearing', currency, amountCents: price - commission }]
      : [
          { account: 'cash', currency, amountCents: price },
          { account: 'partner_payable', currency, amountCents: -commission },
        ];
  const postings: Posting[] = [
    ...held,
    { account: 'partner_commission', currency, amountCents: commission },
    { account: 'sales', currency, amountCents: -price },
  ];
  return postings.filter((posting) => posting.amountCents !== 0);
}

/** The same lines with the opposite sign: how a ledger takes something back. */
export function reversal(postings: readonly Posting[]): Posting[] {
  return postings.map((posting) => ({ ...posting, amountCents: -posting.amountCents }));
}

/** What is left of each currency when all lines are added: an empty map for a balanced entry. */
export function imbalance(postings: readonly Posting[]): Map<string, Cents> {
  const sums = new Map<string, Cents>();
  for (const { currency, amountCents } of postings) {
    sums.set(currency, (sums.get(currency) ?? 0) + amountCents);
  }
  for (const [currency, sum] of sums) if (sum === 0) sums.delete(currency);
  return sums;
}
