import type { Environment } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { markOutdated, selectOutdated } from './search.store.ts';
import { INDEX_VERSION } from './search-document.ts';
import { indexListings, settleIndex } from './search-index.ts';

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
    /** Called after each batch with how many documents were written so far. */
    onProgress?: ((written: number) => void) | undefined;
  },
): Promise<{ written: number }> {
  const { environment } = input;
  if (input.all) await markOutdated(runtime.db.knex, environment);
  let written = 0;
  let lastId = 0;
  for (;;) {
    const listings = await runtime.db.transact(async (tx) => {
      const outdated = await selectOutdated(tx, environment, INDEX_VERSION, lastId, BATCH_SIZE);
      await indexListings(tx, environment, outdated);
      return outdated;
    });
    const last = listings.at(-1);
    if (!last) break;
    lastId = last.id;
    written += listings.length;
    input.onProgress?.(written);
  }
  if (written > 0) await settleIndex(runtime, environment);
  return { written };
}
