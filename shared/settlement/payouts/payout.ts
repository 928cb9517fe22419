import type { LedgerAccount } from '../../money/ledger/ledger-entry.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';

/** What a payout is for. */
export const PAYOUT_SOURCES = ['hosted_checkout', 'brokerage', 'referral'] as const;

export type PayoutSource = (typeof PAYOUT_SOURCES)[number];

export interface PayoutOwner {
  partnerId: string;
  environment: Environment;
}

/** Money on its way to a partner: always one source and one currency. */
export interface Payout extends PayoutOwner {
  id: string;
  source: PayoutSource;
  amount: Money;
  status: PayoutStatus;
  /** The statement whose close made it; null when none did. */
  settlementId: string | null;
  /** The bank's, once it was paid or has failed. */
  reference: string | null;
  /** What the bank calls the return of its payment. */
  reversalReference: string | null;
  failureReason: string | null;
  /** The file by which the bank was asked to pay it; null while there is none. */
  fileId: string | null;
  /** The partner's account at the payment provider, which was asked to send it there; null while it was not. */
  sentTo: string | null;
  /** Who let it be paid, where that takes two people; null while nobody did. */
  approvedBy: string | null;
  approvedAt: Date | null;
  /** The revisions of the partner's accounts that the approval covers; null for one that it did not have. */
  approvedBank: number | null;
  approvedProvider: number | null;
  createdAt: Date;
  paidAt: Date | null;
  failedAt: Date | null;
}

/** Who records what the payment provider says of a payout. */
export const PROVIDER = 'provider';

/** Whether what is large takes two people: paying it, and changing where it goes. */
export function takesTwoPeople({
  payoutApprovalOverCents,
}: Pick<Config, 'payoutApprovalOverCents'>): boolean {
  return payoutApprovalOverCents > 0;
}

/** Whether it takes two people to pay this: one who approves it, and another one who pays. */
export function needsApproval(
  config: Pick<Config, 'payoutApprovalOverCents'>,
  { environment, amount }: Pick<Payout, 'environment' | 'amount'>,
): boolean {
  const isLarge = amount.amount > config.payoutApprovalOverCents;
  return environment === 'LIVE' && takesTwoPeople(config) && isLarge;
}

/** The account that says how much of this we owe. */
export function payableAccount(source: PayoutSource): LedgerAccount {
  return source === 'referral' ? 'referral_payable' : 'partner_payable';
}

export const PAYOUT_STATUSES = ['pending', 'paid', 'failed'] as const;

export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

export interface PayoutMove {
  from: readonly PayoutStatus[];
  to: PayoutStatus;
}

/** Every move of a payout. What a failed one was for is paid by another payout, also when its payment came back. */
export const PAYOUT_MOVES = {
  pay: { from: ['pending'], to: 'paid' },
  fail: { from: ['pending'], to: 'failed' },
  reverse: { from: ['paid'], to: 'failed' },
} as const satisfies Record<string, PayoutMove>;

export type PayoutMoveName = keyof typeof PAYOUT_MOVES;
