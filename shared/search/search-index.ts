import type { Environment } from '../platform/config.ts';
import type { Database, Tx } from '../platform/db.ts';
import { analyzeSearchTables, deleteDocuments, upsertDocuments } from './search.store.ts';
import { type SearchableListing, toSearchDocument } from './search-document.ts';
import { invalidateTermStatistics } from './term-statistics.ts';

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
export async function removeFromIndex(
  tx: Tx,
  environment: Environment,
  listingIds: number[],
): Promise<void> {
  if (listingIds.length === 0) return;
  await deleteDocuments(tx, environment, listingIds);
}

/** To be called after many listings changed: keeps the next searches as fast as the later ones. */
export async function refreshIndexStatistics(
  { db }: { db: Database },
  environment: Environment,
): Promise<void> {
  await analyzeSearchTables(db.knex, environment);
  invalidateTermStatistics(db, environment);
}
