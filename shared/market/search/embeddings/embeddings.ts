import { LRUCache } from 'lru-cache';
import type { Database } from '../../../delivery/unit-of-work/database.ts';
import type { Clock } from '../../../platform/clock.ts';
import { inTime } from '../../../platform/concurrency/deadline.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Logger } from '../../../platform/observability/logger.ts';
import { type RefreshCounts, refreshEmbeddings } from './embed-listings.ts';
import { readVectors } from './embedding.store.ts';
import { createHttpEmbedder, type Embedder, type Vector } from './embeddings-client.ts';

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

/** A listing that search found, with its score from 0 to 1. */
export interface Scored {
  candidate: { listingId: number };
  score: number;
}

/** The last word on the order of what search found. */
export interface Rescorer {
  /**
   * The same candidates with new scores, best first. Never fails, and never waits past its budget: without
   * vectors in time, they come back as they are.
   */
  rescore<T extends Scored>(query: string, candidates: readonly T[]): Promise<readonly T[]>;
}

/** The share of the score that nearness in meaning has. */
const WEIGHT = 0.3;
/** Candidates past these have no way into the results. */
const MOST_CANDIDATES = 50;
/** Calls under way at once; searches beyond them do without. */
const MOST_CALLS = 32;

/**
 * Mixes what search thinks of a listing with how near the vectors of query and listing are: 0.7 of the score
 * and 0.3 of the cosine (negative ones count as 0). A listing without a vector gets the mean cosine of the
 * others. What scores 1 is the very name that was asked for, and stays so.
 */
export function createRescorer(
  { db, embedder }: { db: Database; embedder: Embedder },
  { budgetMs, cacheSize }: { budgetMs: number; cacheSize: number },
): Rescorer {
  let calls = 0;
  // Concurrent searches for one query share a call; a late answer still serves the next search.
  const queries = new LRUCache<string, Vector>({
    max: cacheSize,
    async fetchMethod(text) {
      if (calls >= MOST_CALLS) return undefined;
      calls += 1;
      try {
        return (await embedder.embed([text]))[0];
      } finally {
        calls -= 1;
      }
    },
  });

  const nearness = async (query: string, listingIds: readonly number[]) => {
    const [wanted, vectors] = await Promise.all([
      queries.fetch(query),
      readVectors(db.knex, embedder.model, listingIds),
    ]);
    const near = new Map<number, number>();
    for (const [id, vector] of vectors) {
      if (vector.length === wanted?.length) near.set(id, Math.max(0, dot(wanted, vector)));
    }
    return near;
  };

  return {
    async rescore(query, candidates) {
      const first = candidates.slice(0, MOST_CANDIDATES);
      const text = query.trim().toLowerCase().replace(/\s+/g, ' ');
      if (first.length === 0 || text === '') return candidates;
      const ids = first.map(({ candidate }) => candidate.listingId);
      const near = await inTime(nearness(text, ids), budgetMs).catch(() => undefined);
      return near ? mix(candidates, near) : candidates;
    },
  };
}

function mix<T extends Scored>(
  candidates: readonly T[],
  near: ReadonlyMap<number, number>,
): readonly T[] {
  if (near.size === 0) return candidates;
  const usual = [...near.values()].reduce((sum, value) => sum + value, 0) / near.size;
  return candidates
    .map((scored) => {
      if (scored.score >= 1) return scored;
      const cosine = Math.min(1, near.get(scored.candidate.listingId) ?? usual);
      const score = (1 - WEIGHT) * scored.score + WEIGHT * cosine;
      return { ...scored, score: Math.round(score * 1_000) / 1_000 };
    })
    .sort((a, b) => b.score - a.score);
}

function dot(a: Vector, b: Vector): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
