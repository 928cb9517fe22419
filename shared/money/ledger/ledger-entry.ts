import type { Environment } from '../../platform/config/config.ts';
import type { Cents, Money } from '../../platform/money.ts';

/**
 * The accounts of the ledger. Amounts are debit positive, credit negative.
 * - `partner_clearing`: amounts that a partner collected for us and that are not on a statement yet
 * - `partner_receivable`: amounts that a partner owes under closed statements
 * - `partner_payable`: commission that we owe a partner for payments we collected
 * - `partner_commission`: the cost of commissions
 * - `sales`: the price of domains sold
 * - `renewals`: the price of renewals and restores that owners bought
 * - `cash`: money that has moved
 * - `payouts_in_transit`: payouts created by a settlement run that have not left the bank yet
 * - `referral_commission`: the cost of referrals
 * - `referral_payable`: commission that we owe an affiliate
 */
const ACCOUNTS = [
  'partner_clearing',
  'partner_receivable',
  'partner_payable',
  'partner_commission',
  'sales',
  'renewals',
  'cash',
  'payouts_in_transit',
  'referral_commission',
  'referral_payable',
] as const;

export type LedgerAccount = (typeof ACCOUNTS)[number];

export interface Posting {
  account: LedgerAccount;
  amount: Money;
}

const ORDER_ACCOUNTS = [
  'partner_clearing',
  'cash',
  'partner_payable',
  'partner_commission',
  'sales',
] as const;
const RENEWAL_ACCOUNTS = ['cash', 'renewals'] as const;
const REFERRAL_ACCOUNTS = ['referral_commission', 'referral_payable'] as const;
const STATEMENT_ACCOUNTS = ['partner_receivable', 'partner_clearing'] as const;
const STATEMENT_PAYMENT_ACCOUNTS = ['cash', 'partner_receivable'] as const;
const PAYOUT_ACCOUNTS = ['partner_payable', 'referral_payable', 'payouts_in_transit'] as const;

/** The accounts to which entries of each kind may post. */
export const ACCOUNTS_BY_KIND = {
  sale: ORDER_ACCOUNTS,
  refund: ORDER_ACCOUNTS,
  clawback: ORDER_ACCOUNTS,
  renewal: RENEWAL_ACCOUNTS,
  renewal_refund: RENEWAL_ACCOUNTS,
  settlement: STATEMENT_ACCOUNTS,
  settlement_payment: STATEMENT_PAYMENT_ACCOUNTS,
  settlement_payment_reversal: STATEMENT_PAYMENT_ACCOUNTS,
  payout: PAYOUT_ACCOUNTS,
  payout_payment: ['payouts_in_transit', 'cash'],
  payout_payment_reversal: ['payouts_in_transit', 'cash'],
  payout_failure: PAYOUT_ACCOUNTS,
  referral: REFERRAL_ACCOUNTS,
  referral_reversal: REFERRAL_ACCOUNTS,
} as const satisfies Record<string, readonly LedgerAccount[]>;

export type EntryKind = keyof typeof ACCOUNTS_BY_KIND;
export const ENTRY_KINDS = Object.keys(ACCOUNTS_BY_KIND) as EntryKind[];

/** One balanced entry. `(kind, reference)` is unique, so posting twice has no effect. */
export interface NewEntry {
  kind: EntryKind;
  reference: string;
  /** Null if no partner is involved. */
  partnerId: string | null;
  environment: Environment;
  orderId: string | null;
  postings: readonly Posting[];
}

/** The amounts of a sale, whether we or the partner collected the price. */
export interface SaleAmounts {
  paymentModel: 'merchant_of_record' | 'hosted_checkout' | 'brokerage';
  price: Money;
  commission: Money;
}

/**
 * Returns the postings of a sale. Merchant of record: the partner holds the price and keeps its commission.
 * Otherwise we hold the price and owe the commission. Zero amounts are omitted.
 */
export function salePostings(sale: SaleAmounts): Posting[] {
  const { price, commission } = sale;
  const held: Posting[] =
    sale.paymentModel === 'merchant_of_record'
      ? [{ account: 'partner_clearing', amount: price.minus(commission) }]
      : [
          { account: 'cash', amount: price },
          { account: 'partner_payable', amount: commission.negated() },
        ];
  const postings: Posting[] = [
    ...held,
    { account: 'partner_commission', amount: commission },
    { account: 'sales', amount: price.negated() },
  ];
  return postings.filter((posting) => posting.amount.amount !== 0);
}

/** Returns the postings of a renewal that an owner paid to us. */
export function renewalPostings(price: Money): Posting[] {
  return [
    { account: 'cash', amount: price },
    { account: 'renewals', amount: price.negated() },
  ];
}

/** Returns the postings with the opposite sign, for a reversal. */
export function reversePostings(postings: readonly Posting[]): Posting[] {
  return postings.map((posting) => ({ ...posting, amount: posting.amount.negated() }));
}

/** Returns the non-zero sums of the postings by currency; empty for a balanced entry. */
export function unbalancedAmounts(postings: readonly Posting[]): Map<string, Cents> {
  const sums = new Map<string, Cents>();
  for (const { amount } of postings) {
    sums.set(amount.currency, (sums.get(amount.currency) ?? 0) + amount.amount);
  }
  for (const [currency, sum] of sums) if (sum === 0) sums.delete(currency);
  return sums;
}
