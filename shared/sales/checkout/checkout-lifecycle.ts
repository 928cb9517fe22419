import type { Database } from '../../delivery/unit-of-work/database.ts';
import type { UnitOfWork } from '../../delivery/unit-of-work/unit-of-work.ts';
import { lockListing } from '../../market/inventory/change-listings.ts';
import { assertTransferable } from '../../market/inventory/listing.ts';
import { findSessionPayment } from '../../money/payments/payment-lifecycle.ts';
import type { Caller } from '../../people/partners/credential.ts';
import { addMs, type Clock, daysAgo } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { conflict, fail } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { releaseCheckoutHold } from '../quotes/listing-hold.ts';
import {
  deleteAbandonedSessions,
  lockSession,
  moveSession,
  selectPartnerOf,
  updateBuyersErased,
  updateExpired,
  writeSession,
} from './checkout-session.store.ts';
import { type CheckoutSession, isPaymentOpen, SESSION_MOVES } from './checkout-session.ts';
import { writeLinkToken } from './checkout-token.ts';

export interface SessionInput {
  /** A-labels. */
  domain: string;
  returnUrl: string | null;
  cancelUrl: string | null;
  buyerEmail: string | null;
  clientReference: string | null;
}

/**
 * Creates a hosted payment page for a domain and the link to it. It holds nothing: the domain can be sold
 * until a buyer pays.
 * @throws not_found, conflict (domain_sold, transfer_locked)
 */
export async function createSession(
  runtime: { db: Database; clock: Clock; config: Config; tokens: SignedTokens },
  caller: Caller,
  input: SessionInput,
): Promise<{ session: CheckoutSession; url: string }> {
  const { config } = runtime;
  const session = await runtime.db.transactFor(caller.partnerId, async (uow) => {
    const listing = await lockListing(uow, caller.environment, input.domain);
    if (!listing || listing.status === 'delisted') {
      throw fail('not_found', { message: `${input.domain} is not listed.` });
    }
    if (listing.status === 'sold') throw conflict('domain_sold', `${input.domain} has been sold.`);
    const { now } = uow;
    assertTransferable(listing, now);
    const created: CheckoutSession = {
      id: newId('checkoutSession', now),
      partnerId: caller.partnerId,
      environment: caller.environment,
      listingId: listing.id,
      domain: listing.domain,
      price: listing.price,
      commissionBps: caller.commissionBps,
      status: 'open',
      returnUrl: input.returnUrl,
      cancelUrl: input.cancelUrl,
      clientReference: input.clientReference,
      buyerEmail: input.buyerEmail,
      buyerName: null,
      buyerCountry: null,
      referralCode: null,
      lastDecline: null,
      orderId: null,
      createdAt: now,
      updatedAt: now,
      priceLockedUntil: addMs(now, config.checkoutPriceMs),
      expiresAt: addMs(now, config.checkoutSessionMs),
    };
    await writeSession(uow.sql, created);
    return created;
  });
  const token = await writeLinkToken(runtime.tokens, session);
  return { session, url: `${config.baseUrl}/checkout/${session.id}?pt=${token}` };
}

/**
 * The buyer gives up. False, and no change, when the session is over already. A payment that is still under
 * way keeps the domain held: should its money come, it counts.
 * @throws not_found
 */
export async function cancelSession(
  { db, clock }: { db: Database; clock: Clock },
  sessionId: string,
): Promise<boolean> {
  return transactWithSession(db, sessionId, async (uow) => {
    const payment = await findSessionPayment(uow.sql, sessionId);
    if (!(await moveSession(uow.sql, sessionId, 'cancel', clock.now()))) return false;
    if (!payment || !isPaymentOpen(payment)) await releaseCheckoutHold(uow, sessionId);
    return true;
  });
}

/** Marks up to `limit` sessions that have run out; returns how many. Nothing waits for it: expiry is checked at use. */
export async function expireCheckoutSessions(
  { db, clock }: { db: Database; clock: Clock },
  limit: number,
): Promise<number> {
  const { to } = SESSION_MOVES.expire;
  return updateExpired.run(db.knex, { to, now: clock.now(), limit });
}

interface Deps {
  db: Database;
  clock: Clock;
  config: Config;
}

/**
 * Erases the buyer (e-mail address, name, country) from up to `limit` sessions that ended CHECKOUT_BUYER_KEEP_DAYS
 * ago without an order, and says how many. One with a payment that may still buy the domain waits for it.
 */
export function eraseAbandonedCheckoutBuyers(
  { db, clock, config }: Deps,
  limit: number,
): Promise<number> {
  const before = daysAgo(clock, config.checkoutBuyerKeepDays);
  return updateBuyersErased.run(db.knex, { before, limit });
}

/**
 * Deletes up to `limit` sessions that ended CHECKOUT_KEEP_DAYS ago without an order, and says how many. One with a
 * payment stays: failed payments are deleted first, and the others are money that moved.
 */
export function pruneCheckoutSessions({ db, clock, config }: Deps, limit: number): Promise<number> {
  const before = daysAgo(clock, config.checkoutKeepDays);
  return deleteAbandonedSessions.run(db.knex, { before, limit });
}

/**
 * Runs what a buyer does at the till in one transaction, with the session locked. It counts as one of the partner's:
 * were its rows locked, its buyers would have all connections otherwise.
 * @throws not_found, and what {@link Database.transactFor} throws
 */
export async function transactWithSession<T>(
  db: Database,
  sessionId: string,
  work: (uow: UnitOfWork, session: CheckoutSession) => Promise<T>,
): Promise<T> {
  // Whose a session is never changes, so the look may come before the transaction.
  const known = await selectPartnerOf.first(db.knex, { id: sessionId });
  if (!known) throw fail('not_found');
  return db.transactFor(known.partnerId, async (uow) => {
    const session = await lockSession(uow.sql, sessionId);
    if (!session) throw fail('not_found');
    return work(uow, session);
  });
}
