import type { Environment } from '../platform/config.ts';
import type { TransferMethod } from '../registrar/registrar.ts';
import type { TransferStatus } from './transfer-states.ts';

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

/** The registrar's name for one push: the same for every run of a job, another one for every retry by ops. */
export function pushReference(transferId: string, attempt: number): string {
  return `${transferId}-${attempt}`;
}

/**
 * Whether something may be under way at the registrar. A failed push has come back: the domain is ours.
 * One that was queued again after `action_required` still has its predecessor there.
 */
export function mayBePushing(transfer: Pick<Transfer, 'status' | 'attempts'>): boolean {
  if (transfer.status === 'queued') return transfer.attempts > 0;
  return transfer.status !== 'failed' && transfer.status !== 'cancelled';
}
