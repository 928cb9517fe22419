import type { Kind } from './buyer-queries.ts';

/** What search owes buyers on the queries that are held out; 0 to 1 each. */
export const PROMISED = {
  /** nDCG@5 over all queries. */
  ndcg: 0.8,
  /** nDCG@5 of each kind, where it is not `otherwise`. */
  kinds: { 'brand wish': 0.4, 'other language': 0.5, otherwise: 0.6 },
  /** At least this share of nonsense gets nothing. */
  nonsenseEmpty: 0.95,
  /** At most this share of queries with a good answer gets nothing. */
  silent: 0.03,
} as const;

/** The nDCG@5 that is promised of a kind. */
export function promisedOf(kind: Kind): number {
  const kinds: Partial<Record<Kind, number>> = PROMISED.kinds;
  return kinds[kind] ?? PROMISED.kinds.otherwise;
}
