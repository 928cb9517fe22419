import type { Database } from '../../../messaging/unit-of-work/database.ts';
import { type Clock, SECOND } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Logger } from '../../../platform/observability/logger.ts';
import { type RefreshCounts, refreshEmbeddings } from './embed-listings.ts';
import { createHttpEmbedder } from './embeddings-client.ts';
import { createNameFinder, type NameFinder } from './nearest-names.ts';
import { createQueryVectors } from './query-vectors.ts';
import { createRescorer, type Rescorer } from './rescorer.ts';

/** What a search may ask of a model: to find names, and to put what was found into order. */
export interface SearchModel extends NameFinder, Rescorer {}

/** The optional model behind search: without EMBEDDINGS_URL there is none, and it changes nothing. */
export interface Embeddings extends SearchModel {
  /** Brings the vectors of the inventory up to date; null when there is no model. @throws EmbeddingError */
  refresh(signal: AbortSignal): Promise<RefreshCounts | null>;
  close(): Promise<void>;
}

/** For one call: nobody waits for it, and a batch of a model on a CPU takes seconds. */
const CALL_MS = 10 * SECOND;
/** Queries whose vectors a process keeps, in about 12 MB. */
const CACHED_QUERIES = 2_000;

/** What the configuration asks for. */
export function createEmbeddings({
  config,
  ...deps
}: {
  config: Config;
  db: Database;
  clock: Clock;
  log: Logger;
}): Embeddings {
  if (!config.embeddingsUrl) {
    return {
      findNearest: async () => [],
      rescore: async (_query, candidates) => candidates,
      refresh: async () => null,
      close: async () => {},
    };
  }
  const embedder = createHttpEmbedder(deps, {
    url: config.embeddingsUrl,
    model: config.embeddingsModel,
    apiKey: config.embeddingsApiKey,
    timeoutMs: CALL_MS,
  });
  const leg = {
    ...{ db: deps.db, clock: deps.clock, model: embedder.model },
    queryVectors: createQueryVectors(embedder, CACHED_QUERIES),
    budgetMs: config.embeddingsBudgetMs,
  };
  return {
    ...createNameFinder(leg),
    ...createRescorer(leg),
    refresh: (signal) =>
      refreshEmbeddings({ ...deps, embedder }, config.embeddingsBatchSize, signal),
    close: () => embedder.close(),
  };
}
