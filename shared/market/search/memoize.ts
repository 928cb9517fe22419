import { LRUCache } from 'lru-cache';

/** Returns `work` with a cache of all results, or of the `most` recently used ones. */
export function memoize<T>(work: (key: string) => T, most?: number): (key: string) => T {
  const memory = most
    ? new LRUCache<string, { value: T }>({ max: most })
    : new Map<string, { value: T }>();
  return (key) => {
    let known = memory.get(key);
    if (known === undefined) {
      known = { value: work(key) };
      memory.set(key, known);
    }
    return known.value;
  };
}
