import { LRUCache } from 'lru-cache';

/** The same function, which works a value out once for each key and keeps them all, or the `most` that were asked last. */
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
