import type { Clock } from '../platform/clock.ts';
import type { Environment } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { conflict } from '../platform/errors.ts';
import { indexListings } from '../search/search-index.ts';
import { selectForUpdate, upsertListings } from './listing.store.ts';
import type { Listing } from './listing.ts';
import { draftListing, type ListingInput } from './listing-draft.ts';

/**
 * Puts a domain on the market of an environment; one that was delisted comes back with the new terms.
 * @throws validation_error; conflict (already_exists, domain_sold)
 */
export async function addListing(
  { db, clock }: { db: Database; clock: Clock },
  input: ListingInput & { environment: Environment },
): Promise<Listing> {
  const draft = draftListing(input);
  const { ascii } = draft.name;
  return db.transact(async (tx) => {
    const existing = await selectForUpdate(tx, input.environment, ascii);
    const alreadyListed = () =>
      conflict('already_exists', `${ascii} is listed already. Change its price instead.`);
    if (existing?.status === 'listed') throw alreadyListed();
    const [upserted] = await upsertListings(tx, input.environment, [draft], clock.now());
    if (!upserted)
      throw conflict('domain_sold', `${ascii} is sold. Relist it once its order was taken back.`);
    const { inserted, ...listing } = upserted;
    // Nobody's row a moment ago, and written by somebody else meanwhile.
    if (!existing && !inserted) throw alreadyListed();
    await indexListings(tx, input.environment, [listing]);
    return listing;
  });
}
