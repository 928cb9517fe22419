import type { TransferMethod } from '../../domains/registrar/registrar.ts';
import type { DeliveryMethod } from '../../people/partners/partner.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { TransferEventType } from './transfer.events.ts';

/**
 * Where the cancellation of a push stands that a refund waits for: the registrar is being asked; it said that
 * the domain has left; or it did not answer for as long as the job asked. Staff decides about the latter two.
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
  /** How the domain goes on to its buyer once it is ours to give. */
  deliveryMethod: DeliveryMethod;
  /** The registrar it was last handed to. */
  registrar: string | null;
  /** Pushes begun so far; the present one's number. */
  attempts: number;
  reason: string | null;
  /** Null unless a refund waits. While it is set nothing but the refund's end moves the transfer. */
  cancellation: Cancellation | null;
  createdAt: Date;
  updatedAt: Date;
}

/**
 * The reference of one push at the registrar: the same in every run of a job, a new one for every retry by an operator.
 */
export function pushReference(transferId: string, attempt: number): string {
  return `${transferId}-${attempt}`;
}

/** The id of the transfer that a push is of. */
export function transferOfReference(clientReference: string): string {
  return clientReference.slice(0, clientReference.lastIndexOf('-'));
}

/**
 * Whether something may be under way at the registrar. A failed push has come back: the domain is ours.
 * One that was queued again after `action_required` still has its predecessor there.
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
  /** Null for a move that partners are not told of. */
  event: TransferEventType | null;
}

/** Every move a transfer can make after it was queued with its order's start. Drawn in docs/states.md. */
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
  // From `awaiting_confirmation` only while nobody has fetched the domain.
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

/** Whether a move may be made from `status`. */
export function canMove(name: TransferMoveName, status: TransferStatus): boolean {
  const from: readonly TransferStatus[] = TRANSFER_MOVES[name].from;
  return from.includes(status);
}
