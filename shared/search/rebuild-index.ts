import type { Environment } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { countOutdated, selectOutdated } from './search.store.ts';
import { INDEX_VERSION } from './search-document.ts';
import { indexListings, refreshIndexStatistics } from './search-index.ts';

/** Listings that a transaction takes. */
const BATCH_SIZE = 1_000;

/**
 * Writes the index of an environment again, batch by batch, while searches go on: every listed domain whose
 * document is missing or of another version, or with `all` every one (after a change of the thesaurus). Returns
 * how many documents were written; running it again writes none.
 */
export async function rebuildIndex(
  runtime: { db: Database },
  input: {
    environment: Environment;
    all?: boolean | undefined;
    /** Called before the first and after each batch: how many documents were written, and of how many. */
    onProgress?: ((written: number, total: number) => void) | undefined;
  },
): Promise<{ written: number }> {
  const { environment, onProgress } = input;
  const version = input.all ? null : INDEX_VERSION;
  const total = await countOutdated(runtime.db.knex, environment, version);
  let written = 0;
  let afterId = 0;
  onProgress?.(written, total);
  for (;;) {
    const listings = await runtime.db.transact(async (tx) => {
      const outdated = await selectOutdated(tx, environment, version, {
        afterId,
        limit: BATCH_SIZE,
      });
      await indexListings(tx, environment, outdated);
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
