import type { Environment } from '../platform/config.ts';
import type { Money } from '../platform/money.ts';
import type { CaseStatus, CaseTier } from './case-states.ts';

/** The attempt to buy one unlisted domain for one buyer. */
export interface BrokerageCase {
  id: string;
  partnerId: string;
  environment: Environment;
  /** A-labels. */
  domain: string;
  tier: CaseTier;
  status: CaseStatus;
  buyerEmail: string;
  /** What the buyer is ready to pay. All that follows is in its currency. */
  budget: Money;
  /** The price last named between buyer and owner. */
  latestOffer: Money | null;
  /** These three come with the deal. */
  dealPrice: Money | null;
  commission: Money | null;
  orderId: string | null;
  createdAt: Date;
  updatedAt: Date;
  closedAt: Date | null;
}

/** Whose cases: every query that a partner causes is bound to it. */
export interface CaseOwner {
  partnerId: string;
  environment: Environment;
}

export type CaseActor = 'partner' | 'buyer' | 'ops';

/** One step of a case: that it was opened, a move (by its name), or that the buyer raised the budget. */
export interface CaseEntry {
  at: Date;
  /** The case's status after it. */
  status: CaseStatus;
  event: string;
  by: CaseActor;
  /** The offer, the budget or the deal price, where the step is about one. */
  amount: Money | null;
}
