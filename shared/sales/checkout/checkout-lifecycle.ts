import { lockListing } from '../../market/inventory/change-listings.ts';
import {
  assertNoLegalHold,
  assertTransferable,
  isForSale,
} from '../../market/inventory/listing.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { assertCarries } from '../../money/payments/payment.ts';
import { findSessionPayment } from '../../money/payments/payment-lifecycle.ts';
import type { PaymentProviders } from '../../money/payments/payment-provider.ts';
import type { Caller } from '../../people/partners/credential.ts';
import { addMs, type Clock, daysAgo } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { conflict, fail, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { moveHoldToCheckout, releaseCheckoutHold } from '../quotes/listing-hold.ts';
import { lockValidQuote, type QuoteInput, readQuote } from '../quotes/use-quote.ts';
import { expireReviews, expireSandboxReviews } from './checkout-review.ts';
import {
  lockSession,
  moveSession,
  selectPartnerOf,
  updateBuyersErased,
  updateExpired,
  updateExpiredOfPartner,
  writeSession,
} from './checkout-session.store.ts';
import {
  type CheckoutSession,
  canReopen,
  isPaymentOpen,
  noReview,
  SESSION_MOVES,
} from './checkout-session.ts';
import { sessionUrl } from './checkout-token.ts';

export interface SessionInput {
  /** A-labels; may be left out with a quote. */
  domain: string | null;
  quote: QuoteInput | null;
  returnUrl: string | null;
  cancelUrl: string | null;
  buyerEmail: string | null;
  clientReference: string | null;
}

/**
 * Creates a hosted payment page for a domain and the link to it. The page does not hold the domain, which can be sold
 * until a buyer pays, unless the page takes over a quote with its hold, price and end.
 * @throws not_found, conflict (domain_sold, transfer_locked, legal_hold, quote_used, price_not_payable), quote_expired,
 *   validation_error, service_unavailable while no payment provider is set up
 */
export async function createSession(
  runtime: {
    db: Database;
    clock: Clock;
    config: Config;
    tokens: SignedTokens;
    payments: PaymentProviders;
  },
  caller: Caller,
  input: SessionInput,
): Promise<{ session: CheckoutSession; url: string }> {
  const { config } = runtime;
  const session = await runtime.db.transactFor(caller.partnerId, async (uow) => {
    const quoted = readQuote(input.quote);
    const domain = input.domain ?? quoted?.domain;
    if (domain === undefined) {
      throw invalid([{ path: '/domain', message: 'is required without a quote_id' }]);
    }
    const listing = await lockListing(uow, caller.environment, domain);
    assertNoLegalHold(listing);
    if (listing?.status === 'sold') throw conflict('domain_sold', `${domain} has been sold.`);
    const quote = quoted && (await lockValidQuote(uow, caller, quoted.id, listing?.id));
    if (!listing || !isForSale(listing, { held: quote !== null })) {
      throw fail('not_found', { message: `${domain} is not listed.` });
    }
    const { now } = uow;
    assertTransferable(listing, uow.realNow);
    const price = quote?.price ?? listing.price;
    assertCarries(runtime.payments(caller.environment), price);
    const created: CheckoutSession = {
      id: newId('checkoutSession', now),
      partnerId: caller.partnerId,
      environment: caller.environment,
      listingId: listing.id,
      brokerageCaseId: null,
      domain: listing.domain,
      price,
      commissionBps: caller.commissionBps,
      status: 'open',
      returnUrl: input.returnUrl,
      cancelUrl: input.cancelUrl,
      clientReference: input.clientReference,
      buyerEmail: input.buyerEmail,
      buyerName: null,
      buyerCountry: null,
      referralCode: null,
      quoteId: input.quote?.token ?? null,
      lastDecline: null,
      orderId: null,
      ...noReview(),
      createdAt: now,
      updatedAt: now,
      priceLockedUntil: quote?.expiresAt ?? addMs(now, config.checkoutPriceMs),
      expiresAt: addMs(now, config.checkoutSessionMs),
    };
    await writeSession(uow.sql, created);
    if (quote) await moveHoldToCheckout(uow, quote, created.id);
    return created;
  });
  return { session, url: await sessionUrl(runtime, session) };
}

/**
 * Cancels a session for its buyer. Returns false and changes nothing if the session has ended. A payment in progress
 * keeps the domain held and still counts if it succeeds.
 * @throws not_found
 */
export async function cancelSession(
  { db }: { db: Database; clock: Clock },
  sessionId: string,
): Promise<boolean> {
  return transactWithSession(db, sessionId, async (uow) => {
    const payment = await findSessionPayment(uow.sql, sessionId);
    if (!(await moveSession(uow.sql, sessionId, 'cancel', uow.now))) return false;
    if (!payment || !isPaymentOpen(payment)) {
      await releaseCheckoutHold(uow, sessionId, { givenUp: true });
    }
    return true;
  });
}

/**
 * Reopens a canceled session for its buyer while its link is valid. Does nothing in any other status, or for a
 * brokerage case, whose page opens a new session. @throws not_found
 */
export async function reopenSession(
  { db }: { db: Database; clock: Clock },
  sessionId: string,
): Promise<void> {
  await transactWithSession(db, sessionId, async (uow, session) => {
    if (!canReopen(session, uow.now)) return;
    await moveSession(uow.sql, sessionId, 'reopen', uow.now);
  });
}

/** Marks up to `limit` expired sessions and returns how many. It may run late, because expiry is checked on use. */
export async function expireCheckoutSessions(
  deps: { db: Database; clock: Clock; log: Logger },
  limit: number,
): Promise<number> {
  const { to } = SESSION_MOVES.expire;
  const told = await expireReviews(deps, limit);
  return told + (await updateExpired.run(deps.db.knex, { to, now: deps.clock.now(), limit }));
}

/** Marks the expired sessions of a partner's sandbox, by the sandbox's clock, which the unit of work uses. */
export async function expireSandboxSessions(uow: UnitOfWork, partnerId: string): Promise<void> {
  await expireSandboxReviews(uow, partnerId);
  const { to } = SESSION_MOVES.expire;
  await updateExpiredOfPartner.send(uow.pipeline, { partnerId, to, now: uow.now });
}

interface Deps {
  db: Database;
  clock: Clock;
  config: Config;
}

/**
 * Erases the buyer (email address, name, country) from up to `limit` sessions that ended CHECKOUT_BUYER_KEEP_DAYS
 * ago without an order, and returns how many. Skips sessions whose payment may still buy the domain.
 */
export function eraseAbandonedCheckoutBuyers(
  { db, clock, config }: Deps,
  limit: number,
): Promise<number> {
  const before = daysAgo(clock, config.checkoutBuyerKeepDays);
  return updateBuyersErased.run(db.knex, { before, limit });
}

/**
 * Runs a buyer's checkout action in one transaction, with the session locked. It counts toward the partner's
 * transactions; otherwise the buyers of a partner with locked rows could take all connections.
 * @throws not_found, and what {@link Database.transactFor} throws
 */
export async function transactWithSession<T>(
  db: Database,
  sessionId: string,
  work: (uow: UnitOfWork, session: CheckoutSession) => Promise<T>,
): Promise<T> {
  // The owner of a session never changes, so it may be read before the transaction.
  const known = await selectPartnerOf.first(db.knex, { id: sessionId });
  if (!known) throw fail('not_found');
  return db.transactFor(known.partnerId, async (uow) => {
    const session = await lockSession(uow.sql, sessionId);
    if (!session) throw fail('not_found');
    await uow.enterTimeOf(session);
    return work(uow, session);
  });
}
