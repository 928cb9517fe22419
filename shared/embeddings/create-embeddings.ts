import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import type { Logger } from '../platform/logger.ts';
import { createHttpEmbedder } from './http-embedder.ts';
import { type RefreshCounts, refreshEmbeddings } from './refresh-embeddings.ts';
import { createRescorer, type Rescorer } from './rescorer.ts';

/** The optional model behind search: without EMBEDDINGS_URL there is none, and it changes nothing. */
export interface Embeddings extends Rescorer {
  /** Brings the vectors of the inventory up to date; null when there is no model. @throws EmbeddingError */
  refresh(signal: AbortSignal): Promise<RefreshCounts | null>;
  close(): Promise<void>;
}

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
      rescore: async (_query, candidates) => candidates,
      refresh: async () => null,
      close: async () => {},
    };
  }
  const embedder = createHttpEmbedder(deps, {
    url: config.embeddingsUrl,
    model: config.embeddingsModel,
    apiKey: config.embeddingsApiKey,
    timeoutMs: config.embeddingsTimeoutMs,
  });
  const { rescore } = createRescorer(
    { db: deps.db, embedder },
    { budgetMs: config.embeddingsBudgetMs, cacheSize: config.embeddingsCacheSize },
  );
  return {
    rescore,
    refresh: (signal) =>
      refreshEmbeddings({ ...deps, embedder }, config.embeddingsBatchSize, signal),
    close: () => embedder.close(),
  };
}
