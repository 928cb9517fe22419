import { LRUCache } from 'lru-cache';
import type { Embedder } from './embedder.ts';
import type { Vector } from './vector.ts';

/** Returns the vector of a query; undefined if the model is too busy. @throws EmbeddingError */
export type QueryVectors = (query: string) => Promise<Vector | undefined>;

/** The maximum of concurrent calls; further searches run without a vector. */
const MOST_CALLS = 32;

/** Concurrent searches for one query share a call; a late answer still serves the next search. */
export function createQueryVectors(embedder: Embedder, cacheSize: number): QueryVectors {
  let calls = 0;
  const vectors = new LRUCache<string, Vector>({
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
  return async (query) => {
    const text = query.trim().toLowerCase().replace(/\s+/g, ' ');
    return text === '' ? undefined : vectors.fetch(text);
  };
}
