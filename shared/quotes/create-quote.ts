import { lockListing, setPrice } from '../inventory/listing-sale.ts';
import { sandboxOutcome } from '../inventory/sandbox-names.ts';
import { addMs } from '../platform/clock.ts';
import { conflict, fail } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { MAX_PRICE_CENTS } from '../platform/money.ts';
import type { Runtime } from '../runtime.ts';
import { enforceHoldLimit, lockHolds } from './hold-limit.ts';
import { endOwnOrExpiredHold, insertHold } from './quote.store.ts';
import type { Quote, QuoteOwner } from './quote.ts';
import { writeQuoteToken } from './quote-token.ts';

/** `reprice-` names rise by a tenth once a quote is out. */
const SANDBOX_REPRICE_BPS = 1_000;

/**
 * Locks the buy-now price of a domain (A-labels) and holds it for the partner; a quote that it had on the
 * same domain dies.
 * @throws not_found, conflict (domain_sold, domain_reserved, too_many_holds)
 */
export async function createQuote(
  runtime: Pick<Runtime, 'db' | 'clock' | 'config' | 'tokens'>,
  owner: QuoteOwner,
  domain: string,
): Promise<Quote & { token: string; domain: string }> {
  const quote = await runtime.db.transactFor(owner.partnerId, async (tx) => {
    const now = runtime.clock.now();
    await lockHolds(tx, owner.partnerId);
    const listing = await lockListing(tx, owner.environment, domain);
    if (!listing || listing.status === 'delisted') {
      throw fail('not_found', { message: `${domain} is not listed.` });
    }
    if (listing.status === 'sold') throw conflict('domain_sold', `${domain} has been sold.`);

    await endOwnOrExpiredHold(tx, owner, listing.id, now);
    await enforceHoldLimit(tx, runtime.config, owner, now);
    const held: Quote = {
      id: newId('quote', now),
      partnerId: owner.partnerId,
      environment: owner.environment,
      listingId: listing.id,
      price: listing.price,
      state: 'open',
      createdAt: now,
      expiresAt: addMs(now, runtime.config.quoteMs),
    };
    if (!(await insertHold(tx, held))) {
      throw conflict('domain_reserved', `${domain} is held by another quote. Try again later.`);
    }
    if (sandboxOutcome(owner.environment, domain) === 'reprice') {
      const { amount } = listing.price.plus(listing.price.share(SANDBOX_REPRICE_BPS));
      await setPrice(tx, listing.id, Math.min(amount, MAX_PRICE_CENTS), now);
    }
    return held;
  });
  return { ...quote, domain, token: await writeQuoteToken(runtime.tokens, quote, domain) };
}
