import type { Environment } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';

export const OPEN_DISPUTE_STATUSES = ['needs_response', 'under_review'] as const;
export const DISPUTE_STATUSES = [...OPEN_DISPUTE_STATUSES, 'won', 'lost', 'withdrawn'] as const;

/** `withdrawn`: it ended before money was taken. */
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

/** The state of a dispute at its provider. */
export interface DisputeState {
  /** The provider's id of the dispute. */
  reference: string;
  status: DisputeStatus;
  /** In the words of the provider, such as `fraudulent`. */
  reason: string;
  amount: Money;
  /** Until when evidence counts; null when it is not asked for. */
  evidenceDueAt: Date | null;
}

/** A payment that its buyer disputes at the bank. */
export interface Dispute extends DisputeState {
  id: string;
  paymentId: string;
  /** Null for the payment of a renewal. */
  partnerId: string | null;
  environment: Environment;
  /** Null when the payment bought nothing. */
  orderId: string | null;
  openedAt: Date;
  updatedAt: Date;
  /** Null while it is open. */
  closedAt: Date | null;
}

/** Where evidence is sent: the dispute in the provider's dashboard. */
export function evidenceUrl({
  reference,
  environment,
}: Pick<Dispute, 'reference' | 'environment'>) {
  const mode = environment === 'LIVE' ? '' : 'test/';
  return `https://dashboard.stripe.com/${mode}disputes/${reference}`;
}
