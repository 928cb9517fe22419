import { RANKING_WEIGHTS } from '../ranking-weights.ts';
import { businessKinds } from './kinds.ts';
import type { LikelyKind } from './likely-kinds.ts';

/** What a search matches against likely kinds: the parts of a name's label, and the owner's texts. */
interface MatchableName {
  stems: readonly string[];
  pairs: readonly string[];
  explained: number[];
  tags: readonly string[];
  about: readonly string[];
}

/**
 * Scores how well a name's kind matches each word of a query, 0 to 1. Marks the label words that match in `explained`.
 */
export type KindMatcher = (name: MatchableName) => readonly number[];

/** Creates a matcher for a query; null if the query has no likely kind. */
export function kindMatcher(kinds: readonly LikelyKind[]): KindMatcher | null {
  const [first] = kinds;
  if (!first) return null;
  const { place } = RANKING_WEIGHTS;
  const worths = worthsOf(kinds);
  const words = first.support.map((_, at) => at);
  /** Returns the likeliest kind that a term indicates, and how strongly. */
  const read = (term: string, share: number): { worth: number; of: LikelyKind } | undefined => {
    const found = worths.get(term);
    return found && { worth: found.worth * share, of: found.of };
  };
  return ({ stems, pairs, explained, tags, about }) => {
    let label: ReturnType<typeof read>;
    for (const [size, terms] of [stems, pairs].entries()) {
      for (const [at, term] of terms.entries()) {
        const found = read(term, place.label);
        if (!found) continue;
        for (let marked = at; marked <= at + size; marked += 1) {
          explained[marked] = Math.max(explained[marked] ?? 0, found.worth);
        }
        if (found.worth > (label?.worth ?? 0)) label = found;
      }
    }
    let owner: ReturnType<typeof read>;
    for (const [list, share] of [
      [tags, place.tags],
      [about, place.about],
    ] as const) {
      for (const stemmed of list) {
        const found = read(stemmed, share);
        if (found && found.worth > (owner?.worth ?? 0)) owner = found;
      }
    }
    const [most, second] = [label, owner].sort((a, b) => (b?.worth ?? 0) - (a?.worth ?? 0));
    if (!most) return words.map(() => 0);
    const together = most.worth + (1 - most.worth) * (second?.worth ?? 0) * place.second;
    return words.map((at) => ((most.of.support[at] ?? 0) > 0 ? together : 0));
  };
}

/** Returns the highest weight of each term and its kind. */
function worthsOf(
  kinds: readonly LikelyKind[],
): ReadonlyMap<string, { worth: number; of: LikelyKind }> {
  const worths = new Map<string, { worth: number; of: LikelyKind }>();
  for (const kind of kinds) {
    for (const [term, own] of businessKinds().termsOf(kind.kind)) {
      if (own < RANKING_WEIGHTS.kinds.telling) break;
      const worth = own * kind.likeness;
      if (worth > (worths.get(term)?.worth ?? 0)) worths.set(term, { worth, of: kind });
    }
  }
  return worths;
}
