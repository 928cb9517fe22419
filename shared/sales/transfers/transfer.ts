import type { TransferMethod } from '../../domains/registrar/registrar.ts';
import type { DeliveryMethod } from '../../people/partners/partner.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { TransferEventType } from './transfer.events.ts';

/**
 * The state of the cancellation that a refund is waiting for. `requested`: the registrar is being asked to stop the
 * push. `too_late`: the domain has left. `unanswered`: the job ran out of retries. Staff decide about the last two.
 */
export type Cancellation = 'requested' | 'too_late' | 'unanswered';

/** The delivery of one order's domain. */
export interface Transfer {
  id: string;
  orderId: string;
  partnerId: string;
  environment: Environment;
  status: TransferStatus;
  method: TransferMethod;
  /** How the domain reaches its buyer once we have it. */
  deliveryMethod: DeliveryMethod;
  /** The registrar that last received the push. */
  registrar: string | null;
  /** The number of pushes begun so far, which is the number of the current one. */
  attempts: number;
  reason: string | null;
  /** Null unless a refund is waiting. While set, only the outcome of that refund moves the transfer. */
  cancellation: Cancellation | null;
  createdAt: Date;
  updatedAt: Date;
}

/**
 * Returns the reference of one push at the registrar: the same in every run of a job, new for each operator retry.
 */
export function pushReference(transferId: string, attempt: number): string {
  return `${transferId}-${attempt}`;
}

/** Returns the id of the transfer that a push belongs to. */
export function transferOfReference(clientReference: string): string {
  return clientReference.slice(0, clientReference.lastIndexOf('-'));
}

/**
 * Returns whether the registrar may have a push in progress. After a failed push, the domain is still ours.
 * A transfer that was queued again after `action_required` still has its previous push there.
 */
export function mayBePushing(transfer: Pick<Transfer, 'status' | 'attempts'>): boolean {
  if (transfer.status === 'queued') return transfer.attempts > 0;
  return transfer.status !== 'failed' && transfer.status !== 'cancelled';
}

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
  /** Null for a move without an event for partners. */
  event: TransferEventType | null;
}

/** Every move a transfer can make after it is queued. Drawn in docs/states.md. */
export const TRANSFER_MOVES = {
  begin: { from: ['queued'], to: 'pushing', event: 'transfer.initiated' },
  use_auth_code: {
    from: ['pushing', 'action_required'],
    to: 'pushing',
    event: 'transfer.auth_code_ready',
  },
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
  // Allowed from `awaiting_confirmation` only while nobody has fetched the domain.
  cancel: {
    from: [
      'queued',
      'pushing',
      'pending_registry',
      'action_required',
      'awaiting_confirmation',
      'failed',
    ],
    to: 'cancelled',
    event: 'transfer.cancelled',
  },
} as const satisfies Record<string, TransferMove>;

export type TransferMoveName = keyof typeof TRANSFER_MOVES;

/** Returns whether a move is allowed from `status`. */
export function canMove(name: TransferMoveName, status: TransferStatus): boolean {
  const from: readonly TransferStatus[] = TRANSFER_MOVES[name].from;
  return from.includes(status);
}
