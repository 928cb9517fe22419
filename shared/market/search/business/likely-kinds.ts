import { type Meaning, meaningOf, nearness } from '../meaning/meaning.ts';
import { RANKING_WEIGHTS } from '../ranking-weights.ts';
import { businessKinds } from './business-kinds.ts';

interface MeantStem {
  stem: string;
  likeness: number;
}

/** A word of a query: the stems it may stand for, and how likely each is. */
export interface AskedWord {
  stems: readonly MeantStem[];
  /** What it counts for beside the others. */
  weight: number;
}

/** A kind of business that a query is probably about. */
export interface LikelyKind {
  kind: number;
  /** Of one that is meant only where no name is of another kind, that other one. */
  inPlaceOf: number | null;
  /** How much of the query speaks for it, 0 to 1. */
  explained: number;
  /** How likely it is meant, 0 to 1. */
  likeness: number;
  /** Of each word of the query, how much it speaks for this kind, 0 to 1. */
  support: readonly number[];
}

const MOST_KINDS = 8;

/** The kinds of business that the words of a query speak for together, likeliest first. */
export function likelyKinds(asked: readonly AskedWord[]): LikelyKind[] {
  const { tellingOf } = businessKinds();
  const weights = RANKING_WEIGHTS.kinds;
  const meant = asked.map(({ stems }) => stems);
  const supports = supportsOf(meant);
  const tellings = meant.map((stems) => Math.max(0, ...stems.map(({ stem }) => tellingOf(stem))));
  const counts = asked.map(({ weight }, at) => weight * (tellings[at] || weights.unknownWord));
  const all = counts.reduce((sum, count) => sum + count, 0);
  const meaning = meaningOf(
    meant.flatMap(([first], at) =>
      first ? [{ stem: first.stem, weight: first.likeness * (counts[at] ?? 0) }] : [],
    ),
  );
  const explainedBy = (kind: number, support: readonly number[]) => {
    const together = support.reduce((sum, value, at) => sum + value * (counts[at] ?? 0), 0) / all;
    const plainest = Math.max(...support.map((value, at) => value * (tellings[at] ?? 0)));
    return Math.max(together, weights.oneWord * plainest) + nearnessTo(kind, meaning);
  };
  const kinds = [...supports]
    .map(([kind, support]) => ({
      kind,
      inPlaceOf: null,
      support,
      explained: explainedBy(kind, support),
    }))
    .sort((a, b) => b.explained - a.explained)
    .slice(0, MOST_KINDS);
  const best = kinds[0]?.explained ?? 0;
  if (best < weights.least) return [];
  return withLikeness(kinds.filter(({ explained }) => explained >= weights.leastShare * best));
}

/** The kin of likely kinds, which will do where no name is of those: a dentist's for an oral surgeon. Best first. */
export function kinOf(kinds: readonly LikelyKind[]): LikelyKind[] {
  const { from, alike, most } = RANKING_WEIGHTS.kinds.kin;
  const kin = new Map<number, LikelyKind>();
  const own = new Map(kinds.map(({ kind, explained }) => [kind, explained]));
  for (const source of kinds) {
    for (const { kind, worth } of businessKinds().kinOf(source.kind)) {
      const explained = source.explained * Math.min(most, from + alike * worth);
      const known = Math.max(own.get(kind) ?? 0, kin.get(kind)?.explained ?? 0);
      if (explained <= known) continue;
      kin.set(kind, { ...source, kind, inPlaceOf: source.kind, explained });
    }
  }
  return [...kin.values()].sort((a, b) => b.explained - a.explained).slice(0, MOST_KINDS);
}

/** Of each kind that something speaks for, how much each word does, 0 to 1. */
function supportsOf(meant: readonly (readonly MeantStem[])[]): ReadonlyMap<number, number[]> {
  const { evidenceOf, needsWith, kindOfNeed } = businessKinds();
  const weights = RANKING_WEIGHTS.kinds;
  const supports = new Map<number, number[]>();
  const speak = (kind: number, places: readonly number[], worth: number) => {
    const support = supports.get(kind) ?? meant.map(() => 0);
    supports.set(kind, support);
    for (const at of places) support[at] = Math.max(support[at] ?? 0, Math.min(1, worth));
  };
  const placesInNeed = new Map<number, number[]>();
  for (const [at, stems] of meant.entries()) {
    for (const { stem, likeness } of stems) {
      for (const { kind, worth } of evidenceOf(stem)) speak(kind, [at], worth * likeness);
    }
    const [own, next] = [stems[0], meant[at + 1]?.[0]];
    if (!own) continue;
    for (const need of needsWith(own.stem)) {
      const places = placesInNeed.get(need);
      if (places) places.push(at);
      else placesInNeed.set(need, [at]);
    }
    if (!next) continue;
    const factor = weights.pair * own.likeness * next.likeness;
    for (const { kind, worth } of evidenceOf(`${own.stem}_${next.stem}`)) {
      speak(kind, [at, at + 1], worth * factor);
    }
  }
  for (const [need, places] of placesInNeed) {
    if (places.length < 2) continue;
    speak(kindOfNeed(need), places, weights.need.two + weights.need.further * (places.length - 2));
  }
  return supports;
}

/** What the nearness of a query in meaning to all that is known of a kind adds. */
function nearnessTo(kind: number, meaning: Meaning | null): number {
  const ofKind = meaning && businessKinds().meaningOf(kind);
  if (!ofKind) return 0;
  const { from, worth } = RANKING_WEIGHTS.kinds.nearness;
  return worth * Math.max(0, nearness(meaning, ofKind) - from);
}

/** How likely each of several kinds is meant: by how much speaks for it, and for the others. Best first, as they come. */
export function withLikeness(kinds: readonly Omit<LikelyKind, 'likeness'>[]): LikelyKind[] {
  const { enough, doubt, rivals, contrast } = RANKING_WEIGHTS.kinds;
  const best = kinds[0]?.explained ?? 0;
  const share = ({ explained }: { explained: number }) => (explained / best) ** contrast;
  const all = kinds.reduce((sum, each) => sum + share(each), 0);
  return kinds.map((each) => ({
    ...each,
    likeness: Math.min(1, each.explained / enough) ** doubt * (share(each) / all) ** rivals,
  }));
}
