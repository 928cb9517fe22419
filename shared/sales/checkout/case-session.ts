import { findResaleFault } from '../../domains/owned-domains/manage-owned-domains.ts';
import { OWNERS_ENVIRONMENT } from '../../domains/owned-domains/owned-domain.ts';
import { lockListing } from '../../market/inventory/change-listings.ts';
import { isOnLegalHold } from '../../market/legal-holds/read-legal-holds.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { inTimeOf } from '../../messaging/unit-of-work/partner-time.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Payment } from '../../money/payments/payment.ts';
import { findSessionPayment } from '../../money/payments/payment-lifecycle.ts';
import { isActivePartner } from '../../people/partners/partner-lifecycle.ts';
import { getCommissionRate } from '../../people/partners/read-partners.ts';
import { addMs, type Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { conflict, ServiceError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Money } from '../../platform/money.ts';
import {
  agreedPrice,
  type BrokerageCase,
  type CaseOwner,
  isOpenCase,
} from '../brokerage/brokerage-case.ts';
import { type CaseMoveRequest, lockCaseById, moveCase } from '../brokerage/case-lifecycle.ts';
import { wasSoldSince } from '../orders/read-orders.ts';
import { holdForCheckout, lockHolds, releaseCheckoutHold } from '../quotes/listing-hold.ts';
import {
  moveSession,
  readOpenOfCase,
  selectDealReview,
  selectOpenOfCaseForUpdate,
  writeSession,
} from './checkout-session.store.ts';
import {
  blocksNewPayment,
  type CaseSession,
  type CheckoutSession,
  isCaseSession,
  noReview,
} from './checkout-session.ts';
import { sessionUrl } from './checkout-token.ts';

/**
 * Returns the URL of an agreed deal's payment page: the open one, or a new one. The buyer returns to `progressUrl`.
 * @throws not_found, conflict (invalid_state) while no price is agreed, and once staff declined the payment: then only
 *   they can complete or close the case
 */
export async function openCaseSession(
  runtime: { db: Database; config: Config; tokens: SignedTokens },
  caseId: string,
  progressUrl: string,
): Promise<string> {
  const session = await runtime.db.transactFor(caseId, async (uow) => {
    const found = await lockCaseById(uow, caseId);
    const price = agreedPrice(found);
    if (!price) throw conflict('invalid_state', 'There is no agreed price to pay.');
    const { now } = uow;
    const { declined } = await selectDealReview.one(uow.sql, { caseId, now });
    if (declined) throw conflict('invalid_state', 'The payment was not approved.');
    const open = await readOpenOfCase(uow.sql, caseId, now);
    if (open) return open;
    const expiresAt = addMs(now, runtime.config.checkoutSessionMs);
    const { partnerId, environment, domain, buyerEmail } = found;
    const created: CheckoutSession = {
      id: newId('checkoutSession', now),
      partnerId,
      environment,
      listingId: null,
      brokerageCaseId: caseId,
      domain,
      price,
      commissionBps: await getCommissionRate(uow, partnerId),
      status: 'open',
      returnUrl: progressUrl,
      cancelUrl: progressUrl,
      clientReference: null,
      buyerEmail,
      buyerName: null,
      buyerCountry: null,
      referralCode: null,
      quoteId: null,
      lastDecline: null,
      orderId: null,
      ...noReview(),
      createdAt: now,
      updatedAt: now,
      priceLockedUntil: expiresAt,
      expiresAt,
    };
    await writeSession(uow.sql, created);
    return created;
  });
  return sessionUrl(runtime, session);
}

/**
 * Returns the price of a deal if it can be paid now, or why it cannot. Holds a domain that is or was listed here for
 * the buyer until `expiresAt`.
 * @throws conflict (too_many_holds)
 */
export async function reserveDeal(
  uow: UnitOfWork,
  config: Pick<Config, 'maxOpenHolds'>,
  session: CaseSession,
  shown: Money,
  expiresAt: Date,
): Promise<Money | 'sold' | 'reserved' | 'repriced'> {
  const found = await lockCaseById(uow, session.brokerageCaseId);
  const price = agreedPrice(found);
  if (!price || !(await isActivePartner(uow.sql, session.partnerId))) return 'sold';
  if (!shown.equals(price)) return 'repriced';
  const { id: sessionId, partnerId, environment, domain } = session;
  await lockHolds(uow, partnerId);
  const listing = await lockListing(uow, environment, domain);
  if (await wasSoldSince(uow.sql, found, found.createdAt)) return 'sold';
  const isOwners = environment === OWNERS_ENVIRONMENT;
  if (isOwners && (await findResaleFault(uow.sql, domain, { isPaid: false }))) return 'sold';
  if (!listing) {
    const isHeld = environment === 'LIVE' && (await isOnLegalHold(uow.sql, domain));
    return isHeld ? 'sold' : price;
  }
  if (listing.legalHold) return 'sold';
  // A delisted domain can be held, too: an open quote is honored.
  const hold = { sessionId, partnerId, environment, listingId: listing.id, price, expiresAt };
  return (await holdForCheckout(uow, config, hold)) ? price : 'reserved';
}

/**
 * Moves a case for staff, as {@link moveCase} does. If that ends the case, its payment page is canceled, unless it is
 * in review, which staff decline, or a payment is in progress, which then buys nothing.
 */
export async function moveCaseAndPage(
  uow: UnitOfWork,
  deps: { config: Config },
  request: CaseMoveRequest,
): Promise<BrokerageCase> {
  const moved = await moveCase(uow, deps, request);
  if (isOpenCase(moved.status)) return moved;
  const open = await selectOpenOfCaseForUpdate.first(uow.sql, { caseId: moved.id });
  if (!open) return moved;
  const payment = await findSessionPayment(uow.sql, open.id);
  if (payment && blocksNewPayment(payment)) return moved;
  await moveSession(uow.sql, open.id, 'cancel', uow.now);
  await releaseCheckoutHold(uow, open.id);
  return moved;
}

/** @throws conflict (invalid_state) when the deal of a payment page has ended */
export async function assertDealStands(uow: UnitOfWork, session: CheckoutSession): Promise<void> {
  if (!isCaseSession(session)) return;
  const found = await lockCaseById(uow, session.brokerageCaseId);
  if (agreedPrice(found)?.equals(session.price)) return;
  throw conflict('invalid_state', `The deal is ${found.status}: decline the purchase.`);
}

/** The review of a deal's payment: `in_review` while staff decide, `declined` once they did not approve it. */
export type DealReview = 'declined' | 'in_review' | null;

/** Returns the review of the payment of a partner's deal. */
export async function readDealReview(
  runtime: { db: Database; clock: Clock },
  { id: caseId, ...owner }: CaseOwner & { id: string },
): Promise<DealReview> {
  const { db, clock } = await inTimeOf(runtime, owner);
  const review = await selectDealReview.one(db.knex, { caseId, now: clock.now() });
  if (review.declined) return 'declined';
  return review.inReview ? 'in_review' : null;
}

/**
 * Completes a paid deal. Returns the id of its order, or undefined if the deal has ended or somebody else bought the
 * domain.
 */
export async function completePaidDeal(
  uow: UnitOfWork,
  config: Config,
  session: CaseSession,
  payment: Payment,
  inReview: boolean,
): Promise<{ id: string } | undefined> {
  const { id: checkoutSessionId, brokerageCaseId: caseId } = session;
  const { buyerEmail: email, buyerName: name, buyerCountry: country, clearedReasons } = session;
  if (email === null) return undefined;
  const found = await lockCaseById(uow, caseId);
  if (!agreedPrice(found)?.equals(payment.amount)) return undefined;
  await releaseCheckoutHold(uow, checkoutSessionId);
  try {
    const { orderId } = await moveCase(
      uow,
      { config },
      {
        caseId,
        to: 'COMPLETED',
        by: 'buyer',
        dealPriceCents: payment.amount.amount,
        checkout: {
          checkoutSessionId,
          buyer: { email, name, country },
          clearedReasons,
          inReview,
        },
      },
    );
    return orderId === null ? undefined : { id: orderId };
  } catch (error) {
    // No part of the sale was written yet, so the caller refunds the payment.
    if (error instanceof ServiceError && error.code === 'conflict') return undefined;
    throw error;
  }
}
