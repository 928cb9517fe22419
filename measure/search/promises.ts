/** What search owes buyers on the queries that are held out; 0 to 1 each. */
export const PROMISED = {
  /** nDCG@5, mean of kinds. */
  ndcg: 0.75,
  /** nDCG@5 of each kind with at least `queriesOfKind`. */
  kind: 0.5,
  queriesOfKind: 3,
  /** At least this share of nonsense and off-topic queries gets nothing. */
  silent: 0.85,
  /** At least this share of queries with a good answer gets something, mean of kinds. */
  answered: 0.97,
} as const;
