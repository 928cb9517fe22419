import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Environment } from '../../platform/config/config.ts';
import {
  analyzeSearchTables,
  countOutdated,
  deleteDocuments,
  selectOutdated,
  upsertDocuments,
} from './search.store.ts';
import { INDEX_VERSION, type SearchableListing, toSearchDocument } from './search-document.ts';
import { invalidateTermStatistics } from './term-statistics.ts';

/** Adds listed domains to the index or updates them. */
export async function indexListings(
  uow: UnitOfWork,
  environment: Environment,
  listings: readonly SearchableListing[],
): Promise<void> {
  if (listings.length === 0) return;
  await upsertDocuments.send(uow.pipeline, {
    environment,
    documents: listings.map(toSearchDocument),
  });
}

/** Removes domains that are no longer for sale from the index. */
export async function removeFromIndex(
  uow: UnitOfWork,
  environment: Environment,
  listingIds: number[],
): Promise<void> {
  if (listingIds.length === 0) return;
  await deleteDocuments[environment].send(uow.pipeline, { listingIds });
}

/** Updates the statistics; call it after many listings changed to keep searches fast. */
export async function refreshIndexStatistics(
  { db }: { db: Database },
  environment: Environment,
): Promise<void> {
  await analyzeSearchTables[environment].run(db.knex);
  invalidateTermStatistics(db, environment);
}

/** Listings per transaction. */
const BATCH_SIZE = 1_000;

/**
 * Rebuilds the index of an environment in batches while searches continue: every listed domain whose document is
 * missing or of another version or, with `all`, every domain (after a thesaurus change). Returns the number of
 * documents written. Idempotent without `all`.
 */
export async function rebuildIndex(
  runtime: { db: Database },
  input: {
    environment: Environment;
    all?: boolean | undefined;
    /** Called before the first and after each batch with the documents written and the total. */
    onProgress?: ((written: number, total: number) => void) | undefined;
  },
): Promise<{ written: number }> {
  const { environment, onProgress } = input;
  const version = input.all ? null : INDEX_VERSION;
  const { outdated: total } = await countOutdated[environment].one(runtime.db.knex, { version });
  let written = 0;
  let afterId = 0;
  onProgress?.(written, total);
  for (;;) {
    const listings = await runtime.db.transact(async (uow) => {
      const outdated = await selectOutdated[environment].all(uow.sql, {
        version,
        afterId,
        limit: BATCH_SIZE,
      });
      await indexListings(uow, environment, outdated);
      return outdated;
    });
    const last = listings.at(-1);
    if (!last) break;
    afterId = last.id;
    written += listings.length;
    onProgress?.(written, total);
  }
  if (written > 0) await refreshIndexStatistics(runtime, environment);
  return { written };
}
