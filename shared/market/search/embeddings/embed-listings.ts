import type { Database } from '../../../messaging/unit-of-work/database.ts';
import { type Clock, SECOND } from '../../../platform/clock.ts';
import { type Embedder, EmbeddingError } from './embedder.ts';
import {
  deleteUnlisted,
  type StaleListing,
  selectStale,
  touchEmbeddings,
  writeEmbeddings,
} from './embedding.store.ts';
import { placeEmbeddings } from './embedding-cells.ts';
import { embeddingText, hashText } from './listing-text.ts';
import type { Vector } from './vector.ts';

/** The results of a pass over the inventory, in listings. */
export interface RefreshCounts {
  embedded: number;
  /** Listings whose text the endpoint rejected; retried in the next pass. */
  refused: number;
  dropped: number;
}

const DROP_BATCH = 1_000;
const PLACE_BATCH = 200;
/**
 * A pass begins no step after this time, so that other jobs get the worker; the next pass continues. A step ends with
 * what it has written, however slow the machine is.
 */
const PASS_MS = 55 * SECOND;

/**
 * Updates the vectors of all listed domains in batches: new ones, ones whose text changed, and ones with another
 * model's vector. Assigns them to search cells and deletes the vectors of unlisted domains. Safe to run twice at once.
 * @throws EmbeddingError when the endpoint fails; finished work is kept
 */
export async function refreshEmbeddings(
  { db, clock, embedder }: { db: Database; clock: Clock; embedder: Embedder },
  batchSize: number,
  signal: AbortSignal,
): Promise<RefreshCounts> {
  const done: RefreshCounts = { embedded: 0, refused: 0, dropped: 0 };
  const endsAt = clock.now().getTime() + PASS_MS;
  const goesOn = () => !signal.aborted && clock.now().getTime() < endsAt;
  const step = Math.min(batchSize, embedder.atOnce ?? batchSize);
  for (let afterId = 0; goesOn(); ) {
    const stale = await selectStale.all(db.knex, {
      model: embedder.model,
      afterId,
      limit: step,
    });
    const last = stale.at(-1);
    if (!last) break;
    afterId = last.id;
    const changed = await skipUnchanged(db, stale);
    const embedded = await embedAll({ db, embedder }, changed, signal);
    done.embedded += embedded;
    done.refused += changed.length - embedded;
    if (done.embedded === 0 && done.refused >= step) {
      throw new EmbeddingError('the model', 'it refuses every text');
    }
  }
  await placeEmbeddings(db, embedder.model, PLACE_BATCH, goesOn);
  for (let dropped = DROP_BATCH; dropped === DROP_BATCH && !signal.aborted; ) {
    dropped = await deleteUnlisted.run(db.knex, { limit: DROP_BATCH });
    done.dropped += dropped;
  }
  return done;
}

/** Returns the listings whose text changed; a price change alone costs no call. */
async function skipUnchanged(
  db: Database,
  stale: readonly StaleListing[],
): Promise<StaleListing[]> {
  const same = stale.filter((listing) =>
    listing.textHash?.equals(hashText(embeddingText(listing))),
  );
  if (same.length > 0) {
    const listings = same.map(({ id, updatedAt }) => ({ id, updatedAt }));
    await touchEmbeddings.run(db.knex, { listings });
  }
  return stale.filter((listing) => !same.includes(listing));
}

/** Returns how many listings got a vector. Splits rejected batches in half until the faulty text is alone. */
async function embedAll(
  deps: { db: Database; embedder: Embedder },
  listings: readonly StaleListing[],
  signal: AbortSignal,
): Promise<number> {
  if (listings.length === 0) return 0;
  const texts = listings.map(embeddingText);
  let vectors: Vector[];
  try {
    vectors = await deps.embedder.embed(texts, signal);
  } catch (error) {
    if (!(error instanceof EmbeddingError) || error.scope !== 'these texts') throw error;
    if (listings.length === 1) return 0;
    const half = Math.ceil(listings.length / 2);
    const before = await embedAll(deps, listings.slice(0, half), signal);
    return before + (await embedAll(deps, listings.slice(half), signal));
  }
  const embeddings = listings.flatMap(({ id, updatedAt }, at) => {
    const vector = vectors[at];
    const text = texts[at];
    if (!vector || text === undefined) return [];
    return [{ listingId: id, updatedAt, textHash: hashText(text), vector }];
  });
  await writeEmbeddings(deps.db.knex, deps.embedder.model, embeddings);
  return embeddings.length;
}
