import type { Environment } from '../platform/config.ts';
import type { Tx } from '../platform/db.ts';
import type { Cents } from '../platform/money.ts';
import { indexListings, removeFromIndex } from '../search/search-index.ts';
import { selectForUpdate, undoSale, updatePrice, updateStatus } from './listing.store.ts';
import type { Listing, ListingStatus } from './listing.ts';

/** The listing of a domain (A-labels), locked until the transaction ends; undefined when never listed here. */
export async function lockListing(
  tx: Tx,
  environment: Environment,
  domain: string,
): Promise<Listing | undefined> {
  return selectForUpdate(tx, environment, domain);
}

/**
 * Takes a domain off the market, and out of search, as sold. False, and no change, when it is not for sale
 * to this buyer, see {@link isForSale}.
 */
export async function markSold(
  tx: Tx,
  listingId: number,
  now: Date,
  { held } = { held: false },
): Promise<boolean> {
  const from: ListingStatus[] = held ? ['listed', 'delisted'] : ['listed'];
  const listing = await updateStatus(tx, listingId, from, 'sold', now);
  if (!listing) return false;
  await removeFromIndex(tx, listing.environment, [listing.id]);
  return true;
}

/**
 * Puts a sold domain back on the market, unless it had left the market before the sale. False, and no
 * change, when it was not sold.
 */
export async function relist(tx: Tx, listingId: number, now: Date): Promise<boolean> {
  const listing = await undoSale(tx, listingId, now);
  if (!listing) return false;
  if (listing.status === 'listed') await indexListings(tx, listing.environment, [listing]);
  return true;
}

/** Sets a listing's buy-now price (minor units); a floor above it is lowered to it. */
export async function setPrice(
  tx: Tx,
  listingId: number,
  newPriceCents: Cents,
  now: Date,
): Promise<void> {
  await updatePrice(tx, listingId, newPriceCents, now);
}
