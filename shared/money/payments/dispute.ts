import type { Environment } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';

export const OPEN_DISPUTE_STATUSES = ['needs_response', 'under_review'] as const;
export const DISPUTE_STATUSES = [...OPEN_DISPUTE_STATUSES, 'won', 'lost', 'withdrawn'] as const;

/** `withdrawn`: it ended before any money was withdrawn. */
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

/** The state of a dispute at its provider. */
export interface DisputeState {
  /** The provider's ID of the dispute. */
  reference: string;
  status: DisputeStatus;
  /** The provider's reason, such as `fraudulent`. */
  reason: string;
  amount: Money;
  /** The deadline for evidence; null if none is requested. */
  evidenceDueAt: Date | null;
}

/** A dispute that a buyer opened about a payment at their bank. */
export interface Dispute extends DisputeState {
  id: string;
  paymentId: string;
  /** Null for the payment of a renewal. */
  partnerId: string | null;
  environment: Environment;
  /** Null if the payment bought nothing. */
  orderId: string | null;
  openedAt: Date;
  updatedAt: Date;
  /** Null while it is open. */
  closedAt: Date | null;
}

/** Returns the URL for submitting evidence: the dispute in the provider's dashboard. */
export function evidenceUrl({
  reference,
  environment,
}: Pick<Dispute, 'reference' | 'environment'>) {
  const mode = environment === 'LIVE' ? '' : 'test/';
  return `https://dashboard.stripe.com/${mode}disputes/${reference}`;
}
