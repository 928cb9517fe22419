import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Config } from '../../platform/config/config.ts';
import { conflict, invalid } from '../../platform/errors.ts';
import { type Cents, formatMoney, MAX_PRICE_CENTS, Money } from '../../platform/money.ts';
import { caseEvent } from './brokerage.events.ts';
import { buyerAnsweredMail } from './brokerage.mails.ts';
import { changeOffer } from './brokerage-case.store.ts';
import { type BrokerageCase, standingOffer } from './brokerage-case.ts';
import { lockCaseById, lockForBuyer, moveCase } from './case-lifecycle.ts';

type Deps = { db: Database; config: Config };

/**
 * Accepts the owner's offer for the buyer of a self-serve case, so that the price is agreed. It must be the offer that
 * was shown (minor units). Accepting it twice is not an error.
 * @throws not_found, conflict (invalid_state), also when the offer has changed
 */
export async function acceptOffer(
  runtime: Deps,
  caseId: string,
  shownCents: Cents,
): Promise<BrokerageCase> {
  return runtime.db.transactFor(caseId, async (uow) => {
    const found = await lockCaseById(uow, caseId);
    if (found.status === 'AGREED' && found.latestOffer?.amount === shownCents) return found;
    await lockOffered(uow, caseId, shownCents);
    const agreement = { caseId, to: 'AGREED', by: 'buyer', offerCents: shownCents } as const;
    return moveCase(uow, runtime, { ...agreement, as: 'accept' });
  });
}

/**
 * Declines the owner's offer for the buyer of a self-serve case. It must be the offer that was shown. The case then has
 * no offer, and the negotiation continues. Declining it twice is not an error.
 * @throws not_found, conflict (invalid_state), also when the offer has changed
 */
export async function declineOffer(
  { db }: Pick<Deps, 'db'>,
  caseId: string,
  shownCents: Cents,
): Promise<BrokerageCase> {
  return db.transactFor(caseId, async (uow) => {
    const found = await lockForBuyer(uow, caseId);
    if (found.status === 'NEGOTIATING' && found.latestOffer === null) return found;
    const offer = await lockOffered(uow, caseId, shownCents);
    return answer(uow, found, 'decline', offer);
  });
}

/**
 * Makes a counter-offer (minor units), below the owner's offer, for the buyer of a self-serve case. Repeating the
 * buyer's latest offer is not an error and changes nothing.
 * @throws not_found, conflict (invalid_state), validation_error for a price that is not a valid counter-offer
 */
export async function counterOffer(
  { db }: Pick<Deps, 'db'>,
  caseId: string,
  offerCents: Cents,
): Promise<BrokerageCase> {
  return db.transactFor(caseId, async (uow) => {
    const found = await lockForBuyer(uow, caseId);
    if (found.status !== 'NEGOTIATING') throw nothingOffered();
    if (found.offerByBuyer && found.latestOffer?.amount === offerCents) return found;
    const { currency } = found.budget;
    const most = new Money(MAX_PRICE_CENTS, currency);
    const asked = standingOffer(found);
    const refuse = (message: string) => invalid([{ path: '/offer', message }]);
    if (offerCents < 1 || offerCents > most.amount) {
      throw refuse(`must be more than 0 and at most ${formatMoney(most)}`);
    }
    if (asked && offerCents >= asked.amount) {
      throw refuse(`must be less than ${formatMoney(asked)}, which you can accept`);
    }
    const offer = new Money(offerCents, currency);
    return answer(uow, found, 'counter', offer);
  });
}

/** Locks a case that the buyer may change, and returns the owner's offer, which must be the one that was shown. */
async function lockOffered(uow: UnitOfWork, caseId: string, shownCents: Cents): Promise<Money> {
  const offer = standingOffer(await lockForBuyer(uow, caseId));
  if (offer?.amount !== shownCents) throw nothingOffered();
  return offer;
}

function nothingOffered() {
  return conflict('invalid_state', 'This offer is no longer open.');
}

/** Records the buyer's answer, and tells the partner and, of a LIVE case, the staff who negotiate. */
async function answer(
  uow: UnitOfWork,
  before: BrokerageCase,
  event: 'counter' | 'decline',
  offer: Money,
): Promise<BrokerageCase> {
  const { now } = uow;
  const found = await changeOffer(uow.sql, before, { event, offer, now });
  uow.events.add(found, caseEvent('brokerage.case_updated', found));
  if (found.environment === 'LIVE') {
    const { id: caseId, domain, budget } = found;
    const data = { caseId, domain, answer: event, price: offer, budget, at: now.toISOString() };
    uow.mails.add(buyerAnsweredMail, { to: 'staff', of: null, data });
  }
  return found;
}
