import type { EventType } from '../events/event.ts';

export const TRANSFER_STATUSES = [
  'queued',
  'pushing',
  'pending_registry',
  'action_required',
  'awaiting_confirmation',
  'completed',
  'failed',
  'cancelled',
] as const;

export type TransferStatus = (typeof TRANSFER_STATUSES)[number];

export interface TransferMove {
  from: readonly TransferStatus[];
  to: TransferStatus;
  /** Null for a move that partners are not told of. */
  event: EventType | null;
}

/** Every move a transfer can make after it was queued with its order's start. Drawn in docs/states.md. */
export const TRANSFER_MOVES = {
  begin: { from: ['queued'], to: 'pushing', event: 'transfer.initiated' },
  await_registry: {
    from: ['pushing', 'action_required'],
    to: 'pending_registry',
    event: 'transfer.pending_registry',
  },
  require_action: {
    from: ['queued', 'pushing', 'pending_registry'],
    to: 'action_required',
    event: 'transfer.action_required',
  },
  await_confirmation: {
    from: ['queued', 'pushing', 'pending_registry', 'action_required'],
    to: 'awaiting_confirmation',
    event: null,
  },
  fail: {
    from: ['pushing', 'pending_registry', 'action_required'],
    to: 'failed',
    event: 'transfer.failed',
  },
  complete: {
    from: ['queued', 'pushing', 'pending_registry', 'action_required', 'awaiting_confirmation'],
    to: 'completed',
    event: 'transfer.completed',
  },
  retry: { from: ['failed', 'action_required'], to: 'queued', event: null },
  cancel: {
    from: ['queued', 'pushing', 'pending_registry', 'action_required', 'failed'],
    to: 'cancelled',
    event: 'transfer.cancelled',
  },
} as const satisfies Record<string, TransferMove>;

export type TransferMoveName = keyof typeof TRANSFER_MOVES;

/** Whether a move may be made from `status`. */
export function canMove(name: TransferMoveName, status: TransferStatus): boolean {
  const from: readonly TransferStatus[] = TRANSFER_MOVES[name].from;
  return from.includes(status);
}
