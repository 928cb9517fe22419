import type { Clock } from '../platform/clock.ts';
import type { Environment } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { conflict, fail } from '../platform/errors.ts';
import { removeFromIndex } from '../search/search-index.ts';
import { parseDomain } from './domain-name.ts';
import { delistAll, selectForUpdate } from './listing.store.ts';
import type { Listing } from './listing.ts';

/**
 * Takes a domain off the market; doing it twice changes nothing more. A quote that is out, and a payment
 * that is under way, are honored until they expire.
 * @throws validation_error; not_found; conflict (domain_sold)
 */
export async function delistListing(
  { db, clock }: { db: Database; clock: Clock },
  input: { environment: Environment; domain: string },
): Promise<Listing> {
  const { ascii } = parseDomain(input.domain);
  return db.transact(async (tx) => {
    const listing = await selectForUpdate(tx, input.environment, ascii);
    if (!listing) throw fail('not_found', { message: `${ascii} is not listed.` });
    if (listing.status === 'sold')
      throw conflict('domain_sold', `${ascii} is sold. Relist it once its order was taken back.`);
    if (listing.status === 'delisted') return listing;
    const now = clock.now();
    await delistAll(tx, [listing.id], now);
    await removeFromIndex(tx, input.environment, [listing.id]);
    return { ...listing, status: 'delisted', updatedAt: now };
  });
}
