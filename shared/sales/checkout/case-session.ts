import { lockListing } from '../../market/inventory/change-listings.ts';
import { isOnLegalHold } from '../../market/legal-holds/read-legal-holds.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Payment } from '../../money/payments/payment.ts';
import { isActivePartner } from '../../people/partners/partner-lifecycle.ts';
import { getCommissionRate } from '../../people/partners/read-partners.ts';
import { addMs } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { conflict, ServiceError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Money } from '../../platform/money.ts';
import { agreedPrice } from '../brokerage/brokerage-case.ts';
import { lockCaseById, moveCase } from '../brokerage/case-lifecycle.ts';
import { wasSoldSince } from '../orders/read-orders.ts';
import { holdForCheckout, lockHolds, releaseCheckoutHold } from '../quotes/listing-hold.ts';
import { readOpenOfCase, selectDealDeclined, writeSession } from './checkout-session.store.ts';
import {
  type CaseSession,
  type CheckoutSession,
  isCaseSession,
  noReview,
} from './checkout-session.ts';
import { sessionUrl } from './checkout-token.ts';

/**
 * Returns the URL of an agreed deal's payment page: the open one, or a new one. The buyer returns to `progressUrl`.
 * @throws not_found, conflict (invalid_state) while no price is agreed
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
  if (!listing) {
    const isHeld = environment === 'LIVE' && (await isOnLegalHold(uow.sql, domain));
    return isHeld ? 'sold' : price;
  }
  if (listing.legalHold) return 'sold';
  // A delisted domain can be held, too: an open quote is honored.
  const hold = { sessionId, partnerId, environment, listingId: listing.id, price, expiresAt };
  return (await holdForCheckout(uow, config, hold)) ? price : 'reserved';
}

/** @throws conflict (invalid_state) when the deal of a payment page has ended */
export async function assertDealStands(uow: UnitOfWork, session: CheckoutSession): Promise<void> {
  if (!isCaseSession(session)) return;
  const found = await lockCaseById(uow, session.brokerageCaseId);
  if (agreedPrice(found)?.equals(session.price)) return;
  throw conflict('invalid_state', `The deal is ${found.status}: decline the purchase.`);
}

/**
 * The review reason for a deal whose payment staff declined on an earlier page. New buyer details do not reset it.
 */
const DECLINED_BEFORE = 'declined_before';

/**
 * Returns the reasons, besides the rules, for which staff must review the payment of a deal. Reasons that are already
 * approved (`cleared`) do not count.
 */
export async function dealReviewReasons(
  uow: UnitOfWork,
  { brokerageCaseId: caseId }: CaseSession,
  cleared: readonly string[],
): Promise<string[]> {
  if (cleared.includes(DECLINED_BEFORE)) return [];
  const { declined } = await selectDealDeclined.one(uow.sql, { caseId });
  return declined ? [DECLINED_BEFORE] : [];
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
