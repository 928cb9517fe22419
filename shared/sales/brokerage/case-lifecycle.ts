import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Caller } from '../../people/partners/credential.ts';
import { type Clock, daysAgo } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { conflict, fail, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import {
  type Cents,
  formatMoney,
  MAX_PRICE_CENTS,
  Money,
  moneyOrNull,
} from '../../platform/money.ts';
import { caseEvent } from './brokerage.events.ts';
import { brokerageUpdateMail } from './brokerage.mails.ts';
import {
  changeBudget,
  changeStatus,
  lockCase,
  updateBuyersErased,
  writeCase,
} from './brokerage-case.store.ts';
import {
  agreedPrice,
  type BrokerageCase,
  CASE_MOVES,
  type CaseActor,
  type CaseEventName,
  type CaseMoveName,
  type CaseStatus,
  type CaseTier,
  canBuyerChange,
  caseNotFound,
  isOpenCase,
  moveLeadingTo,
} from './brokerage-case.ts';
import {
  checkEligibility,
  type EligibilityScope,
  type IneligibleReason,
} from './check-eligibility.ts';
import { type DealCheckout, recordDeal } from './record-deal.ts';

export interface CaseToOpen {
  /** A-labels. */
  domain: string;
  tier: CaseTier;
  buyerEmail: string;
  budget: Money;
}

/**
 * Opens a case for a buyer, after the same eligibility check that partners can request.
 * @throws conflict (open_case), not_eligible with all other reasons in `details`
 */
export async function openCase(
  runtime: EligibilityScope & { clock: Clock },
  caller: Caller,
  wanted: CaseToOpen,
): Promise<BrokerageCase> {
  const { reasons } = await checkEligibility(runtime, caller.environment, wanted.domain);
  if (reasons.includes('open_case')) throw caseIsOpen(wanted.domain);
  if (reasons.length > 0) throw notEligible(wanted.domain, reasons);

  const now = runtime.clock.now();
  const opened: BrokerageCase = {
    ...wanted,
    id: newId('brokerageCase', now),
    partnerId: caller.partnerId,
    environment: caller.environment,
    status: 'OPEN',
    latestOffer: null,
    offerByBuyer: false,
    dealPrice: null,
    commission: null,
    orderId: null,
    createdAt: now,
    updatedAt: now,
    closedAt: null,
  };
  const inserted = await runtime.db.transactFor(caller.partnerId, async (uow) => {
    const written = await writeCase(uow.sql, opened);
    if (written) addCaseMail(uow, opened);
    return written;
  });
  if (!inserted) throw caseIsOpen(wanted.domain);
  return opened;
}

function caseIsOpen(domain: string) {
  return conflict('open_case', `A brokerage case about ${domain} is open already.`);
}

const REASON_TEXTS: Record<IneligibleReason, string> = {
  open_case: 'it already has an open case',
  listed: 'it is listed here: buy it instead',
  sold: 'it was sold here, and is not delivered yet',
  legal_hold: 'it is on legal hold',
  active_site: 'it runs an active site',
  unregistered: 'it is not registered: register it instead',
  unsupported_tld: 'domains under its suffix cannot be bought from their owners',
};

function notEligible(domain: string, reasons: readonly IneligibleReason[]) {
  const because = reasons.map((reason) => REASON_TEXTS[reason]).join(', and ');
  return fail('not_eligible', {
    message: `${domain} cannot be brokered: ${because}.`,
    details: reasons.map((reason) => ({ reason })),
  });
}

export interface CaseMoveRequest {
  caseId: string;
  to: CaseStatus;
  by: CaseActor;
  /** The latest offer of the buyer or the owner, in minor units. */
  offerCents?: Cents | undefined;
  /** The agreed price that the buyer pays. Required for COMPLETED and not allowed otherwise. */
  dealPriceCents?: Cents | undefined;
  /** The payment page with which the deal was paid, and the buyer's details from it. */
  checkout?: DealCheckout | undefined;
  /** The event of the timeline entry, if it is not the move's name. */
  as?: CaseEventName | undefined;
}

/**
 * Moves a case to another status and tells its partner and its buyer. COMPLETED records the deal: a paid order with its
 * ledger entry and the partner's commission, in the same transaction.
 * @throws not_found, conflict (invalid_state; domain_reserved when a quote holds a domain that was listed
 *   meanwhile, domain_sold when it was bought), validation_error (a deal price that is missing or not allowed)
 */
export async function moveCase(
  uow: UnitOfWork,
  { config }: { config: Config },
  request: CaseMoveRequest,
): Promise<BrokerageCase> {
  const before = await lockCaseById(uow, request.caseId);
  const { now } = uow;
  const name = allowedMove(before, request.to);
  const deal =
    name === 'complete'
      ? await recordDeal(uow, config, before, dealPrice(before, request), request.checkout)
      : null;
  if (name !== 'complete' && request.dealPriceCents !== undefined) {
    throw invalid([{ path: '/deal_price_cents', message: 'is only for COMPLETED' }]);
  }
  const move = CASE_MOVES[name];
  const moved = await changeStatus(uow.sql, before.id, move, {
    now,
    event: request.as ?? name,
    by: request.by,
    closes: !isOpenCase(move.to),
    offer: moneyOrNull(request.offerCents ?? null, before.budget.currency),
    deal,
  });
  // The row is locked and its status was checked, so this should not happen.
  if (!moved) throw cannotBecome(before, request.to);
  addCaseMail(uow, moved);
  uow.events.add(moved, caseEvent(move.event, moved));
  return moved;
}

/** Mails the buyer about the step that a case has just made. */
function addCaseMail(uow: UnitOfWork, found: BrokerageCase): void {
  const { id: caseId, domain, status, budget, latestOffer: offer, dealPrice: price } = found;
  const step = `${status}:${uow.now.toISOString()}`;
  uow.mails.add(brokerageUpdateMail, {
    to: { email: found.buyerEmail },
    of: found,
    data: { caseId, domain, status, step, budget, offer, price },
  });
}

/** Locks a case of any partner, and sets the unit's clock to the partner's. @throws not_found */
export async function lockCaseById(uow: UnitOfWork, caseId: string): Promise<BrokerageCase> {
  const found = await lockCase(uow.sql, caseId);
  if (!found) throw caseNotFound();
  await uow.enterTimeOf(found);
  return found;
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

/** The deal price that operators entered, in the case's currency. If a price was agreed, it must be that price. */
function dealPrice(found: BrokerageCase, { dealPriceCents }: CaseMoveRequest): Money {
  const refuse = (message: string) => invalid([{ path: '/deal_price_cents', message }]);
  if (dealPriceCents === undefined) throw refuse('is required for COMPLETED');
  const agreed = agreedPrice(found);
  if (agreed && agreed.amount !== dealPriceCents) {
    throw refuse(`must be the agreed price of ${formatMoney(agreed)}`);
  }
  return new Money(dealPriceCents, found.budget.currency);
}

/**
 * Raises the budget (minor units) for the buyer of a self-serve case. The current budget is not an error and changes
 * nothing, because a form may be sent twice.
 * @throws not_found, conflict (invalid_state), validation_error for a budget below the current one or too high
 */
export async function raiseBudget(
  { db }: { db: Database; clock: Clock },
  caseId: string,
  budgetCents: Cents,
): Promise<BrokerageCase> {
  return db.transactFor(caseId, async (uow) => {
    const before = await lockForBuyer(uow, caseId);
    const { amount, currency } = before.budget;
    if (budgetCents === amount) return before;
    const refuse = (than: string, bound: Money) =>
      invalid([{ path: '/budget', message: `must be ${than} ${formatMoney(bound)}` }]);
    if (budgetCents < amount) throw refuse('more than', before.budget);
    if (budgetCents > MAX_PRICE_CENTS) {
      throw refuse('at most', new Money(MAX_PRICE_CENTS, currency));
    }
    const raised = await changeBudget(uow.sql, before, new Money(budgetCents, currency), uow.now);
    uow.events.add(raised, caseEvent('brokerage.case_updated', raised));
    return raised;
  });
}

/**
 * Cancels a self-serve case for its buyer. Canceling it twice is not an error.
 * @throws not_found, conflict (invalid_state)
 */
export async function cancelCase(
  runtime: { db: Database; clock: Clock; config: Config },
  caseId: string,
): Promise<BrokerageCase> {
  return runtime.db.transactFor(caseId, async (uow) => {
    const before = await lockCaseById(uow, caseId);
    if (before.tier === 'self_serve' && before.status === 'CANCELLED') return before;
    await lockForBuyer(uow, caseId);
    return moveCase(uow, runtime, { caseId, to: 'CANCELLED', by: 'buyer' });
  });
}

/**
 * Locks a case that its buyer may change.
 * @throws not_found, conflict (invalid_state)
 */
export async function lockForBuyer(uow: UnitOfWork, caseId: string): Promise<BrokerageCase> {
  const found = await lockCaseById(uow, caseId);
  if (canBuyerChange(found)) return found;
  throw conflict(
    'invalid_state',
    found.tier === 'managed'
      ? 'Your broker makes changes to this case.'
      : `The case is ${found.status} and can no longer be changed.`,
  );
}

/**
 * Erases the buyer's email address from up to `limit` cases that were closed without a deal
 * BROKERAGE_BUYER_KEEP_DAYS ago, and returns how many. The rest of a case stays.
 */
export function eraseCaseBuyers(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  limit: number,
): Promise<number> {
  const before = daysAgo(clock, config.brokerageBuyerKeepDays);
  return updateBuyersErased.run(db.knex, { before, limit });
}
