/** What search promises on the held-out queries; shares from 0 to 1. */
export const PROMISED = {
  /** nDCG@5, mean over kinds. */
  ndcg: 0.75,
  /** nDCG@5 of each kind with at least `queriesOfKind`. */
  kind: 0.5,
  queriesOfKind: 3,
  /** At least this share of nonsense and off-topic queries gets no results. */
  silent: 0.85,
  /** At least this share of queries with a good answer gets results, mean over kinds. */
  answered: 0.97,
} as const;
