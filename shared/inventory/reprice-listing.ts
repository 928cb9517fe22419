import type { Clock } from '../platform/clock.ts';
import type { Environment } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { conflict, fail } from '../platform/errors.ts';
import type { Cents } from '../platform/money.ts';
import { parseDomain } from './domain-name.ts';
import { selectForUpdate, updatePrice } from './listing.store.ts';
import type { Listing } from './listing.ts';
import { requirePrice } from './listing-draft.ts';

/**
 * Changes the buy-now price of a listed domain; a floor above it is lowered to it. Open quotes keep theirs.
 * @throws validation_error; not_found; conflict (invalid_state) when it is sold or delisted
 */
export async function repriceListing(
  { db, clock }: { db: Database; clock: Clock },
  input: { environment: Environment; domain: string; priceCents: Cents },
): Promise<Listing> {
  const { ascii } = parseDomain(input.domain);
  requirePrice('/price_cents', input.priceCents);
  return db.transact(async (tx) => {
    const listing = await selectForUpdate(tx, input.environment, ascii);
    if (!listing) throw fail('not_found', { message: `${ascii} is not listed.` });
    if (listing.status !== 'listed') {
      throw conflict(
        'invalid_state',
        `${ascii} is ${listing.status}: only a listed domain has a price.`,
      );
    }
    const repriced = await updatePrice(tx, listing.id, input.priceCents, clock.now());
    return repriced ?? listing;
  });
}
