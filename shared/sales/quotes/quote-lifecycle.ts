import { lockListing, setPrice } from '../../market/inventory/change-listings.ts';
import {
  assertNoLegalHold,
  assertTransferable,
  type PremiumTerms,
  premiumTermsOf,
} from '../../market/inventory/listing.ts';
import { sandboxOutcome } from '../../market/inventory/sandbox-names.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, type Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { conflict, fail } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { MAX_PRICE_CENTS } from '../../platform/money.ts';
import { enforceHoldLimit, lockHolds } from './listing-hold.ts';
import {
  lockQuote,
  updateAhead,
  updateExpired,
  updateExpiredOfPartner,
  updateOwnOrExpiredHold,
  updateReleased,
  writeHold,
} from './quote.store.ts';
import { type Quote, type QuoteOwner, readQuoteToken, writeQuoteToken } from './quote.ts';

/** How much the price of a `reprice-` name rises after a quote: a tenth. */
const SANDBOX_REPRICE_BPS = 1_000;

/**
 * Locks the buy-now price of a domain (A-labels) and holds the domain for the partner. Replaces the partner's
 * previous quote for the same domain.
 * @throws not_found, conflict (domain_sold, domain_reserved, transfer_locked, legal_hold, too_many_holds)
 */
export async function createQuote(
  runtime: { db: Database; clock: Clock; config: Config; tokens: SignedTokens },
  owner: QuoteOwner,
  domain: string,
): Promise<Quote & { token: string; domain: string; premium: PremiumTerms | null }> {
  const { premium, ...quote } = await runtime.db.transactFor(owner.partnerId, async (uow) => {
    const { now } = uow;
    await lockHolds(uow, owner.partnerId);
    const listing = await lockListing(uow, owner.environment, domain);
    assertNoLegalHold(listing);
    if (!listing || listing.status === 'delisted') {
      throw fail('not_found', { message: `${domain} is not listed.` });
    }
    if (listing.status === 'sold') throw conflict('domain_sold', `${domain} has been sold.`);
    assertTransferable(listing, uow.realNow);

    await updateOwnOrExpiredHold.send(uow.pipeline, {
      partnerId: owner.partnerId,
      listingId: listing.id,
      now: uow.realNow,
    });
    await enforceHoldLimit(uow, runtime.config, owner);
    const held: Quote = {
      id: newId('quote', now),
      partnerId: owner.partnerId,
      environment: owner.environment,
      listingId: listing.id,
      price: listing.price,
      state: 'open',
      createdAt: now,
      expiresAt: addMs(now, runtime.config.quoteMs),
      offerId: null,
    };
    if (!(await writeHold(uow, held))) {
      throw conflict('domain_reserved', `${domain} is held by another quote. Try again later.`);
    }
    if (sandboxOutcome(owner.environment, domain) === 'reprice') {
      const { amount } = listing.price.plus(listing.price.share(SANDBOX_REPRICE_BPS));
      await setPrice(uow, listing.id, Math.min(amount, MAX_PRICE_CENTS));
    }
    return { ...held, premium: premiumTermsOf(listing) };
  });
  const token = await writeQuoteToken(runtime.tokens, quote, domain);
  return { ...quote, domain, premium, token };
}

/**
 * Releases a quote and its hold before it expires. Does nothing if the quote was already released or has expired.
 * @throws not_found for a quote that is not this partner's, conflict (quote_used)
 */
export async function releaseQuote(
  runtime: { db: Database; tokens: SignedTokens },
  owner: QuoteOwner,
  token: string,
): Promise<void> {
  const read = await readQuoteToken(runtime.tokens, token);
  if (read === 'expired') return;
  if (read === 'invalid') throw quoteNotFound();
  await runtime.db.transactFor(owner.partnerId, async (uow) => {
    const quote = await lockQuote(uow.sql, owner, read.id);
    if (!quote) throw quoteNotFound();
    if (quote.state === 'used') {
      throw conflict('quote_used', 'This quote is already used by an order or a checkout session.');
    }
    if (quote.state === 'open') {
      await updateReleased.send(uow.pipeline, { id: quote.id, now: uow.now });
    }
  });
}

function quoteNotFound() {
  return fail('not_found', { message: 'No quote of yours has this ID.' });
}

/** Marks up to `limit` expired quotes and returns how many. It may run late, because expiry is checked on use. */
export async function expireQuotes(
  { db, clock }: { db: Database; clock: Clock },
  limit: number,
): Promise<number> {
  return updateExpired.run(db.knex, { now: clock.now(), limit });
}

/** Marks the expired quotes of a partner's sandbox, by the sandbox's clock. */
export async function expireSandboxQuotes(uow: UnitOfWork, partnerId: string): Promise<void> {
  await updateExpiredOfPartner.send(uow.pipeline, { partnerId, now: uow.now });
}

/** Makes the holds of a partner's sandbox end earlier for other partners, by how far its clock is ahead. */
export async function moveSandboxHolds(
  uow: UnitOfWork,
  partnerId: string,
  aheadMs: number,
): Promise<void> {
  await updateAhead.send(uow.pipeline, { partnerId, aheadMs });
}
