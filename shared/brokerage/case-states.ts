import type { EventType } from '../events/event.ts';

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
  event: EventType;
}

const OPEN_STATUSES = ['OPEN', 'CONTACTING_OWNER', 'NEGOTIATING', 'AGREED'] as const;

/**
 * Every move a case can make; there is no other way to change its status. Each status is reached by one
 * move. Drawn in docs/states.md.
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

/** The move that leads to a status; undefined for the first one, which nothing leads to. */
export function moveLeadingTo(status: CaseStatus): CaseMoveName | undefined {
  const names = Object.keys(CASE_MOVES) as CaseMoveName[];
  return names.find((name) => CASE_MOVES[name].to === status);
}

export function isOpenCase(status: CaseStatus): boolean {
  return OPEN_STATUSES.some((open) => open === status);
}

/**
 * Whether the buyer may still change their mind by themselves. Once a price is agreed the owner counts on
 * it, so from there on only ops can end the case.
 */
export function canBuyerChange(found: { tier: CaseTier; status: CaseStatus }): boolean {
  return found.tier === 'self_serve' && isOpenCase(found.status) && found.status !== 'AGREED';
}

/** `managed`: we speak with the buyer. `self_serve`: the buyer steers on the progress page. */
export const CASE_TIERS = ['managed', 'self_serve'] as const;

export type CaseTier = (typeof CASE_TIERS)[number];
