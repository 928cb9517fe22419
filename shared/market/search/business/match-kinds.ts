import { RANKING_WEIGHTS } from '../ranking-weights.ts';
import { businessKinds } from './business-kinds.ts';
import { type LikelyKind, withLikeness } from './likely-kinds.ts';

/** What the words of a name say of the kinds of business that a query is about. */
export interface KindMatcher {
  /**
   * How well a name answers each word of the query by being of such a kind, 0 to 1. Marks in `explained` the words of
   * its label that say so.
   */
  match(name: MatchableName): readonly number[];
}

interface MatchableName {
  stems: readonly string[];
  explained: number[];
  tags: readonly string[];
  about: readonly string[];
}

/** Prepared once for a query and its candidates; null when none of them can be of a likely kind. */
export function kindMatcher(
  likely: readonly LikelyKind[],
  names: readonly MatchableName[],
): KindMatcher | null {
  const kinds = presentKinds(likely, names);
  if (kinds.length === 0) return null;
  const worths = worthsOf(kinds);
  const words = kinds[0]?.support.length ?? 0;
  const { place } = RANKING_WEIGHTS;
  return {
    match({ stems, explained, tags, about }) {
      const label = new Float32Array(kinds.length);
      const owner = new Float32Array(kinds.length);
      const raise = (best: Float32Array, found: readonly number[], share: number) => {
        for (const [at, worth] of found.entries()) {
          if (worth * share > (best[at] as number)) best[at] = worth * share;
        }
      };
      for (const [at, stemmed] of stems.entries()) {
        const alone = worths.get(stemmed);
        const next = stems[at + 1];
        const both = next === undefined ? undefined : worths.get(`${stemmed}_${next}`);
        if (alone) {
          raise(label, alone, place.label);
          explained[at] = Math.max(explained[at] ?? 0, ...alone);
        }
        if (both) {
          raise(label, both, place.label);
          const most = Math.max(...both);
          explained[at] = Math.max(explained[at] ?? 0, most);
          explained[at + 1] = Math.max(explained[at + 1] ?? 0, most);
        }
      }
      for (const stemmed of tags) {
        const found = worths.get(stemmed);
        if (found) raise(owner, found, place.tags);
      }
      for (const stemmed of about) {
        const found = worths.get(stemmed);
        if (found) raise(owner, found, place.about);
      }
      return Array.from({ length: words }, (_, word) => {
        let best = 0;
        for (const [at, { support }] of kinds.entries()) {
          const speaks = support[word] as number;
          if (speaks === 0) continue;
          const [first, second] = [label[at] as number, owner[at] as number];
          const together =
            Math.max(first, second) +
            (1 - Math.max(first, second)) * Math.min(first, second) * place.second;
          best = Math.max(best, together);
        }
        return best;
      });
    },
  };
}

/** Those of the kinds that some name may be of: a likelier one that nobody lists takes nothing from the others. */
function presentKinds(
  likely: readonly LikelyKind[],
  names: readonly MatchableName[],
): readonly LikelyKind[] {
  if (likely.length === 0) return likely;
  const terms = new Set<string>();
  for (const { stems, tags } of names) {
    for (const [at, stemmed] of stems.entries()) {
      terms.add(stemmed);
      terms.add(`${stemmed}_${stems[at + 1]}`);
    }
    for (const tag of tags) terms.add(tag);
  }
  const isPresent = ({ kind }: LikelyKind) => {
    for (const [term, worth] of businessKinds().termsOf(kind)) {
      if (worth < RANKING_WEIGHTS.kinds.present) return false;
      if (terms.has(term)) return true;
    }
    return false;
  };
  return withLikeness(likely.filter(isPresent));
}

/** Of each term, what it is worth for each of the kinds. */
function worthsOf(kinds: readonly LikelyKind[]): ReadonlyMap<string, readonly number[]> {
  const worths = new Map<string, number[]>();
  for (const [at, { kind, likeness }] of kinds.entries()) {
    for (const [term, worth] of businessKinds().termsOf(kind)) {
      if (worth < RANKING_WEIGHTS.kinds.telling) break;
      let known = worths.get(term);
      if (!known) {
        known = kinds.map(() => 0);
        worths.set(term, known);
      }
      known[at] = worth * likeness;
    }
  }
  return worths;
}
