import type { Environment } from '../../platform/config/config.ts';
import { fail, type ServiceError } from '../../platform/errors.ts';
import type { Money } from '../../platform/money.ts';
import type { CaseEventType } from './brokerage.events.ts';

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
  /** Whether it was the buyer who named it. */
  offerByBuyer: boolean;
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

/** One step of a case: that it was opened, a move (by its name), or what the buyer did. */
export interface CaseEntry {
  at: Date;
  /** The case's status after it. */
  status: CaseStatus;
  event: CaseEventName;
  by: CaseActor;
  /** The offer, the budget or the deal price, where the step is about one. */
  amount: Money | null;
}

export const CASE_STATUSES = [
  'OPEN',
  'CONTACTING_OWNER',
  'NEGOTIATING',
  'AGREED',
  'COMPLETED',
  'CLOSED_NO_DEAL',
  'CANCELLED',
] as const;

export type CaseStatus = (typeof CASE_STATUSES)[number];

export interface CaseMove {
  from: readonly CaseStatus[];
  to: CaseStatus;
  event: CaseEventType;
}

const OPEN_STATUSES = ['OPEN', 'CONTACTING_OWNER', 'NEGOTIATING', 'AGREED'] as const;

/**
 * Every move a case can make; there is no other way to change its status. Each status is reached by one
 * move.
 */
export const CASE_MOVES = {
  contact_owner: { from: ['OPEN'], to: 'CONTACTING_OWNER', event: 'brokerage.case_updated' },
  // Again and again: each new offer is told.
  negotiate: {
    from: ['CONTACTING_OWNER', 'NEGOTIATING'],
    to: 'NEGOTIATING',
    event: 'brokerage.case_updated',
  },
  agree: { from: ['NEGOTIATING'], to: 'AGREED', event: 'brokerage.case_updated' },
  complete: { from: ['AGREED'], to: 'COMPLETED', event: 'brokerage.case_completed' },
  close_no_deal: { from: OPEN_STATUSES, to: 'CLOSED_NO_DEAL', event: 'brokerage.case_updated' },
  cancel: { from: OPEN_STATUSES, to: 'CANCELLED', event: 'brokerage.case_updated' },
} as const satisfies Record<string, CaseMove>;

export type CaseMoveName = keyof typeof CASE_MOVES;

/** What the history of a case tells of. */
export type CaseEventName =
  | CaseMoveName
  | 'open'
  | 'raise_budget'
  | 'accept'
  | 'counter'
  | 'decline';

/** The move that leads to a status; undefined for the first one, which nothing leads to. */
export function moveLeadingTo(status: CaseStatus): CaseMoveName | undefined {
  const names = Object.keys(CASE_MOVES) as CaseMoveName[];
  return names.find((name) => CASE_MOVES[name].to === status);
}

export function isOpenCase(status: CaseStatus): boolean {
  return OPEN_STATUSES.some((open) => open === status);
}

/**
 * Whether the buyer may still withdraw on their own. Once a price is agreed the owner relies on it, so from then on
 * only operators can end the case.
 */
export function canBuyerChange(found: { tier: CaseTier; status: CaseStatus }): boolean {
  return found.tier === 'self_serve' && isOpenCase(found.status) && found.status !== 'AGREED';
}

/** The owner's offer, which the buyer can accept, counter or decline; null while there is none. */
export function standingOffer(
  found: Pick<BrokerageCase, 'status' | 'latestOffer' | 'offerByBuyer'>,
): Money | null {
  return found.status === 'NEGOTIATING' && !found.offerByBuyer ? found.latestOffer : null;
}

/** What the buyer has to pay now; null while no price is agreed, or once it is paid. */
export function agreedPrice(found: Pick<BrokerageCase, 'status' | 'latestOffer'>): Money | null {
  return found.status === 'AGREED' ? found.latestOffer : null;
}

/** `managed`: we speak with the buyer. `self_serve`: the buyer steers on the progress page. */
export const CASE_TIERS = ['managed', 'self_serve'] as const;

export type CaseTier = (typeof CASE_TIERS)[number];

/** The refusal of an id that no case of the caller has. */
export function caseNotFound(): ServiceError {
  return fail('not_found', { message: 'No brokerage case has this id.' });
}
