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
  /** The most that the buyer wants to pay. All other amounts are in its currency. */
  budget: Money;
  /** The latest offer of the buyer or the owner. */
  latestOffer: Money | null;
  /** Whether the latest offer is the buyer's. */
  offerByBuyer: boolean;
  /** The deal sets this and the next two fields. */
  dealPrice: Money | null;
  commission: Money | null;
  orderId: string | null;
  createdAt: Date;
  updatedAt: Date;
  closedAt: Date | null;
}

/** The owner of cases. Every query on behalf of a partner is limited to it. */
export interface CaseOwner {
  partnerId: string;
  environment: Environment;
}

export type CaseActor = 'partner' | 'buyer' | 'ops';

/** One step of a case: its opening, a move (by its name), or an action of the buyer. */
export interface CaseEntry {
  at: Date;
  /** The case's status after the step. */
  status: CaseStatus;
  event: CaseEventName;
  by: CaseActor;
  /** The offer, budget or deal price, if the step has one. */
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
 * Every move a case can make. There is no other way to change its status. Each status has exactly one move that leads
 * to it.
 */
export const CASE_MOVES = {
  contact_owner: { from: ['OPEN'], to: 'CONTACTING_OWNER', event: 'brokerage.case_updated' },
  // Can be repeated: each new offer is announced.
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

/** The events in the timeline of a case. */
export type CaseEventName =
  | CaseMoveName
  | 'open'
  | 'raise_budget'
  | 'accept'
  | 'counter'
  | 'decline';

/** Returns the move that leads to a status; undefined for the first status. */
export function moveLeadingTo(status: CaseStatus): CaseMoveName | undefined {
  const names = Object.keys(CASE_MOVES) as CaseMoveName[];
  return names.find((name) => CASE_MOVES[name].to === status);
}

export function isOpenCase(status: CaseStatus): boolean {
  return OPEN_STATUSES.some((open) => open === status);
}

/**
 * Returns whether the buyer may still change or cancel the case. Once a price is agreed, the owner relies on it, so
 * only operators can end the case.
 */
export function canBuyerChange(found: { tier: CaseTier; status: CaseStatus }): boolean {
  return found.tier === 'self_serve' && isOpenCase(found.status) && found.status !== 'AGREED';
}

/** Returns the owner's offer, which the buyer can accept, counter or decline; null if there is none. */
export function standingOffer(
  found: Pick<BrokerageCase, 'status' | 'latestOffer' | 'offerByBuyer'>,
): Money | null {
  return found.status === 'NEGOTIATING' && !found.offerByBuyer ? found.latestOffer : null;
}

/** Returns what the buyer has to pay now; null while no price is agreed, or once it is paid. */
export function agreedPrice(found: Pick<BrokerageCase, 'status' | 'latestOffer'>): Money | null {
  return found.status === 'AGREED' ? found.latestOffer : null;
}

/** `managed`: our staff work with the buyer. `self_serve`: the buyer runs the case on the progress page. */
export const CASE_TIERS = ['managed', 'self_serve'] as const;

export type CaseTier = (typeof CASE_TIERS)[number];

/** Creates the error for an id that no case of the caller has. */
export function caseNotFound(): ServiceError {
  return fail('not_found', { message: 'No brokerage case has this ID.' });
}
