/** The usual constant of reciprocal rank fusion. */
const K = 60;

/** Merges lists, ordered by the sum of 1 / (60 + rank). */
export function fuseRanks(lists: readonly (readonly string[])[]): string[] {
  const scores = new Map<string, number>();
  for (const list of lists) {
    for (const [at, domain] of list.entries()) {
      scores.set(domain, (scores.get(domain) ?? 0) + 1 / (K + at + 1));
    }
  }
  return [...scores].sort(([, one], [, other]) => other - one).map(([domain]) => domain);
}
