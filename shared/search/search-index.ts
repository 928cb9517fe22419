import type { Environment } from '../platform/config.ts';
import type { Tx } from '../platform/db.ts';
import { deleteDocuments, upsertDocuments } from './search.store.ts';
import { type SearchableListing, toSearchDocument } from './search-document.ts';

/** Makes listed domains findable, or brings what is known of them up to date. */
export async function indexListings(
  tx: Tx,
  environment: Environment,
  listings: readonly SearchableListing[],
): Promise<void> {
  if (listings.length === 0) return;
  await upsertDocuments(tx, environment, listings.map(toSearchDocument));
}

/** Takes domains that are no longer for sale out of search. */
export async function unindexListings(
  tx: Tx,
  environment: Environment,
  listingIds: number[],
): Promise<void> {
  if (listingIds.length === 0) return;
  await deleteDocuments(tx, environment, listingIds);
}
