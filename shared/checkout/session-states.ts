export const SESSION_STATUSES = ['open', 'paid', 'failed', 'cancelled', 'expired'] as const;

/**
 * `failed`: money came after the domain had gone, and goes back. The others say what they are.
 */
export type SessionStatus = (typeof SESSION_STATUSES)[number];

export interface SessionMove {
  from: readonly SessionStatus[];
  to: SessionStatus;
}

/**
 * Every move a checkout session can make. Money may still arrive after a buyer cancelled or the time ran
 * out: it then buys the domain, or goes back. Drawn in docs/checkout.md.
 */
export const SESSION_MOVES = {
  pay: { from: ['open', 'cancelled', 'expired'], to: 'paid' },
  fail: { from: ['open', 'cancelled', 'expired'], to: 'failed' },
  cancel: { from: ['open'], to: 'cancelled' },
  expire: { from: ['open'], to: 'expired' },
} as const satisfies Record<string, SessionMove>;

export type SessionMoveName = keyof typeof SESSION_MOVES;
