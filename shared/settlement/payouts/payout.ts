import type { LedgerAccount } from '../../money/ledger/ledger-entry.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';

/** What a payout pays for. */
export const PAYOUT_SOURCES = ['hosted_checkout', 'brokerage', 'referral'] as const;

export type PayoutSource = (typeof PAYOUT_SOURCES)[number];

export interface PayoutOwner {
  partnerId: string;
  environment: Environment;
}

/** A payment to a partner, always of one source and one currency. */
export interface Payout extends PayoutOwner {
  id: string;
  source: PayoutSource;
  amount: Money;
  status: PayoutStatus;
  /** The statement whose close created it; null if none did. */
  settlementId: string | null;
  /** The bank's reference, once the payout is paid or has failed. */
  reference: string | null;
  /** The bank's reference of the returned payment. */
  reversalReference: string | null;
  failureReason: string | null;
  /** The bank file that contains it; null if none. */
  fileId: string | null;
  /** The connected account to which the payment provider was asked to send it; null before. */
  sentTo: string | null;
  /** The user who approved it, if that takes two people; null before. */
  approvedBy: string | null;
  approvedAt: Date | null;
  /** The revision of each account that the approval covers; null if the partner had none. */
  approvedBank: number | null;
  approvedProvider: number | null;
  createdAt: Date;
  paidAt: Date | null;
  failedAt: Date | null;
}

/** The actor of outcomes that the payment provider reports. */
export const PROVIDER = 'provider';

/** Returns whether large payouts, and changes of their accounts, take two people. */
export function takesTwoPeople({
  payoutApprovalOverCents,
}: Pick<Config, 'payoutApprovalOverCents'>): boolean {
  return payoutApprovalOverCents > 0;
}

/** Returns whether this payout takes two people: one who approves it and another who pays it. */
export function needsApproval(
  config: Pick<Config, 'payoutApprovalOverCents'>,
  { environment, amount }: Pick<Payout, 'environment' | 'amount'>,
): boolean {
  const isLarge = amount.amount > config.payoutApprovalOverCents;
  return environment === 'LIVE' && takesTwoPeople(config) && isLarge;
}

/** Returns the ledger account of what we owe for a source. */
export function payableAccount(source: PayoutSource): LedgerAccount {
  return source === 'referral' ? 'referral_payable' : 'partner_payable';
}

export const PAYOUT_STATUSES = ['pending', 'paid', 'failed'] as const;

export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

export interface PayoutMove {
  from: readonly PayoutStatus[];
  to: PayoutStatus;
}

/** Every status change of a payout. After a failure or return, another payout pays the amount. */
export const PAYOUT_MOVES = {
  pay: { from: ['pending'], to: 'paid' },
  fail: { from: ['pending'], to: 'failed' },
  reverse: { from: ['paid'], to: 'failed' },
} as const satisfies Record<string, PayoutMove>;

export type PayoutMoveName = keyof typeof PAYOUT_MOVES;
