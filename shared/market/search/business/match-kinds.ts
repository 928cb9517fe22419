import { RANKING_WEIGHTS } from '../ranking-weights.ts';
import { businessKinds } from './business-kinds.ts';
import { kinOf, type LikelyKind, withLikeness } from './likely-kinds.ts';

/** What the words of a name say of the kinds of business that a query is about. */
export interface KindMatcher {
  /**
   * How well a name answers each word of the query by being of such a kind, 0 to 1, until the next name is asked for.
   * Marks in `explained` the words of its label that say so.
   */
  match(name: MatchableName): Float32Array;
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
  const { place } = RANKING_WEIGHTS;
  // A search asks of hundreds of names, one after the other, and keeps no answer.
  const label = new Float32Array(kinds.length);
  const owner = new Float32Array(kinds.length);
  const agreement = new Float32Array(kinds.length);
  const agreeing = termsOfAll(kinds);
  const answer = new Float32Array(kinds[0]?.support.length ?? 0);
  const raise = (best: Float32Array, term: string, share: number): number => {
    const found = worths.get(term);
    if (!found) return 0;
    for (let at = 0; at < best.length; at += 1) {
      best[at] = Math.max(best[at] as number, (found.of[at] as number) * share);
    }
    return found.most;
  };
  return {
    match({ stems, explained, tags, about }) {
      label.fill(0);
      owner.fill(0);
      for (let at = 0; at < stems.length; at += 1) {
        const stemmed = stems[at] as string;
        const next = stems[at + 1];
        const alone = raise(label, stemmed, place.label);
        const both = next === undefined ? 0 : raise(label, `${stemmed}_${next}`, place.label);
        explained[at] = Math.max(explained[at] ?? 0, alone, both);
        if (both > 0) explained[at + 1] = Math.max(explained[at + 1] ?? 0, both);
      }
      agreement.fill(tags.length === 0 ? 1 : RANKING_WEIGHTS.kinds.disputed);
      for (const stemmed of tags) {
        raise(owner, stemmed, place.tags);
        for (const at of agreeing.get(stemmed) ?? []) agreement[at] = 1;
      }
      for (const stemmed of about) raise(owner, stemmed, place.about);
      answer.fill(0);
      for (let at = 0; at < kinds.length; at += 1) {
        const first = (label[at] as number) * (agreement[at] as number);
        const second = owner[at] as number;
        const most = Math.max(first, second);
        if (most === 0) continue;
        const together = most + (1 - most) * Math.min(first, second) * place.second;
        const { support } = kinds[at] as LikelyKind;
        for (let word = 0; word < support.length; word += 1) {
          if ((support[word] as number) > 0) {
            answer[word] = Math.max(answer[word] as number, together);
          }
        }
      }
      return answer;
    },
  };
}

/**
 * The kinds of business that some listed name may belong to. A likelier kind without a listing does
 * not compete with the others; it says that perhaps nothing fits.
 */
function presentKinds(
  likely: readonly LikelyKind[],
  names: readonly MatchableName[],
): readonly LikelyKind[] {
  const all = [...likely, ...kinOf(likely)];
  const terms = termsOfNames(names);
  const kinds = new Set(all.map(({ kind }) => kind).filter((kind) => isPresent(kind, terms)));
  const present = [
    ...new Map(
      all
        .filter(({ kind, inPlaceOf }) => kinds.has(kind) && !kinds.has(inPlaceOf ?? -1))
        .map((each) => [each.kind, each]),
    ).values(),
  ].sort((a, b) => b.explained - a.explained);
  const [likeliest, best] = [likely[0], present[0]];
  if (!likeliest || !best) return present;
  const left =
    (best.explained / likeliest.explained) ** RANKING_WEIGHTS.kinds.absent *
    shareOfPresent(likely, present) ** RANKING_WEIGHTS.kinds.missing.doubt;
  return withLikeness(present).map((kind) => ({ ...kind, likeness: kind.likeness * left }));
}

/** Whether some name is made of what tells the kind. */
function isPresent(kind: number, terms: ReadonlySet<string>): boolean {
  for (const [term, worth] of businessKinds().termsOf(kind)) {
    if (worth < RANKING_WEIGHTS.kinds.present) return false;
    if (terms.has(term)) return true;
  }
  return false;
}

/** Every word of the labels and keywords, and every two that stand side by side in a label. */
function termsOfNames(names: readonly MatchableName[]): ReadonlySet<string> {
  const terms = new Set<string>();
  for (const { stems, tags } of names) {
    for (let at = 0; at < stems.length; at += 1) {
      terms.add(stems[at] as string);
      if (at > 0) terms.add(`${stems[at - 1]}_${stems[at]}`);
    }
    for (const tag of tags) terms.add(tag);
  }
  return terms;
}

/** How much of all that is likely meant is there, or some of its kin: one of many that are equally likely is little. */
function shareOfPresent(likely: readonly LikelyKind[], present: readonly LikelyKind[]): number {
  const { contrast } = RANKING_WEIGHTS.kinds.missing;
  const answered = new Set(present.flatMap(({ kind, inPlaceOf }) => [kind, inPlaceOf ?? kind]));
  const best = likely[0]?.explained ?? 1;
  let all = 0;
  let there = 0;
  for (const { kind, explained } of likely) {
    const share = (explained / best) ** contrast;
    all += share;
    if (answered.has(kind)) there += share;
  }
  return there / all;
}

/** What a term is worth for each of the kinds, and at most. */
interface TermWorth {
  of: Float32Array;
  most: number;
}

/** All terms that names of the kinds are made of, however little they say, each with the places of those kinds. */
function termsOfAll(kinds: readonly LikelyKind[]): ReadonlyMap<string, readonly number[]> {
  const terms = new Map<string, number[]>();
  for (const [at, { kind }] of kinds.entries()) {
    for (const term of businessKinds().termsOf(kind).keys()) {
      const known = terms.get(term);
      if (known) known.push(at);
      else terms.set(term, [at]);
    }
  }
  return terms;
}

function worthsOf(kinds: readonly LikelyKind[]): ReadonlyMap<string, TermWorth> {
  const worths = new Map<string, TermWorth>();
  for (const [at, { kind, likeness }] of kinds.entries()) {
    for (const [term, worth] of businessKinds().termsOf(kind)) {
      if (worth < RANKING_WEIGHTS.kinds.telling) break;
      const known = worths.get(term) ?? { of: new Float32Array(kinds.length), most: 0 };
      known.of[at] = worth * likeness;
      known.most = Math.max(known.most, worth * likeness);
      worths.set(term, known);
    }
  }
  return worths;
}
