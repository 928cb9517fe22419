import { recordEvents } from '../events/record-events.ts';
import type { Tx } from '../platform/db.ts';
import { conflict, fail, invalid } from '../platform/errors.ts';
import { type Cents, Money, moneyOrNull } from '../platform/money.ts';
import type { Runtime } from '../runtime.ts';
import type { BrokerageCase, CaseActor } from './brokerage-case.ts';
import { caseEvent } from './case.events.ts';
import { lockCase, updateStatus } from './case.store.ts';
import {
  CASE_MOVES,
  type CaseMoveName,
  type CaseStatus,
  isOpenCase,
  moveLeadingTo,
} from './case-states.ts';
import { recordDeal } from './record-deal.ts';

export interface CaseMoveRequest {
  caseId: string;
  to: CaseStatus;
  by: CaseActor;
  /** The price last named between buyer and owner, in minor units. */
  offerCents?: Cents | undefined;
  /** What the owner gets; needed for COMPLETED, and for nothing else. */
  dealPriceCents?: Cents | undefined;
}

/**
 * Moves a case on and tells its partner. COMPLETED records the deal: a paid order with its ledger entry and
 * the partner's cut, in the same transaction.
 * @throws not_found, conflict (invalid_state; domain_reserved when a quote holds a domain that was listed
 *   meanwhile, domain_sold when it was bought), validation_error (a deal price that is missing or out of place)
 */
export async function moveCase(
  tx: Tx,
  { config, clock }: Pick<Runtime, 'config' | 'clock'>,
  request: CaseMoveRequest,
): Promise<BrokerageCase> {
  const now = clock.now();
  const before = await lockCaseById(tx, request.caseId);
  const name = allowedMove(before, request.to);
  const deal =
    name === 'complete'
      ? await recordDeal(tx, config, before, dealPrice(before, request), now)
      : null;
  if (name !== 'complete' && request.dealPriceCents !== undefined) {
    throw invalid([{ path: '/deal_price_cents', message: 'belongs to COMPLETED alone' }]);
  }
  const move = CASE_MOVES[name];
  const moved = await updateStatus(tx, before.id, move, {
    now,
    event: name,
    by: request.by,
    closes: !isOpenCase(move.to),
    offer: moneyOrNull(request.offerCents ?? null, before.budget.currency),
    deal,
  });
  // The row is locked and its status was looked at: it is in a from-state.
  if (!moved) throw cannotBecome(before, request.to);
  await recordEvents(tx, moved, [caseEvent(move.event, moved)], now);
  return moved;
}

/** A case of any partner, locked. @throws not_found */
export async function lockCaseById(tx: Tx, caseId: string): Promise<BrokerageCase> {
  const found = await lockCase(tx, caseId);
  if (!found) throw caseNotFound();
  return found;
}

export function caseNotFound() {
  return fail('not_found', { message: 'No brokerage case has this id.' });
}

function allowedMove(before: BrokerageCase, to: CaseStatus): CaseMoveName {
  const name = moveLeadingTo(to);
  const from: readonly CaseStatus[] = name ? CASE_MOVES[name].from : [];
  if (!name || !from.includes(before.status)) throw cannotBecome(before, to);
  return name;
}

function cannotBecome(before: BrokerageCase, to: CaseStatus) {
  const name = moveLeadingTo(to);
  const takes = name ? `; that takes ${CASE_MOVES[name].from.join(' or ')}` : '';
  return conflict('invalid_state', `The case is ${before.status} and cannot become ${to}${takes}.`);
}

/** What ops type is in the currency of the case. */
function dealPrice({ budget }: BrokerageCase, { dealPriceCents }: CaseMoveRequest): Money {
  if (dealPriceCents !== undefined) return new Money(dealPriceCents, budget.currency);
  throw invalid([{ path: '/deal_price_cents', message: 'is required for COMPLETED' }]);
}
