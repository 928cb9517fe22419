import type { Environment } from '../platform/config.ts';
import type { Tx } from '../platform/db.ts';
import type { Cents } from '../platform/money.ts';
import { indexListings, removeFromIndex } from '../search/search-index.ts';
import { delistAll, selectAllForUpdate, updatePrices, upsertListings } from './listing.store.ts';
import type { Listing } from './listing.ts';
import type { ListingDraft } from './listing-draft.ts';

/** The listings of these domains (A-labels) by name, in any status, locked until the transaction ends. */
export async function lockListings(
  tx: Tx,
  environment: Environment,
  domains: readonly string[],
): Promise<Map<string, Listing>> {
  const listings = await selectAllForUpdate(tx, environment, domains);
  return new Map(listings.map((listing) => [listing.domain, listing]));
}

/** Puts domains on the market with these terms; returns those that are sold, which stay as they are. */
export async function putOnMarket(
  tx: Tx,
  environment: Environment,
  drafts: readonly ListingDraft[],
  now: Date,
): Promise<Set<string>> {
  const listed = await upsertListings(tx, environment, drafts, now);
  await indexListings(tx, environment, listed);
  const written = new Set(listed.map(({ domain }) => domain));
  return new Set(drafts.map(({ name }) => name.ascii).filter((domain) => !written.has(domain)));
}

/** Takes listed domains, which the caller has locked, off the market and out of search. */
export async function delistDomains(
  tx: Tx,
  environment: Environment,
  listingIds: number[],
  now: Date,
): Promise<void> {
  await delistAll(tx, listingIds, now);
  await removeFromIndex(tx, environment, listingIds);
}

/** Sets the buy-now price of listed domains; a floor above it is lowered to it. Open quotes keep theirs. */
export async function repriceDomains(
  tx: Tx,
  listingIds: readonly number[],
  priceCents: Cents,
  now: Date,
): Promise<void> {
  await updatePrices(tx, listingIds, priceCents, now);
}
