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
