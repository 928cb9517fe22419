import { cosine, cosineOfBytes, type Vector } from '../embeddings/vector.ts';
import type { ParsedQuery, QueryTerm } from '../parse-query.ts';
import { RANKING_WEIGHTS } from '../ranking-weights.ts';
import { businessKinds } from './kinds.ts';

interface MeantStem {
  stem: string;
  likeness: number;
}

/** A kind of business that a query is probably about. */
export interface LikelyKind {
  kind: number;
  /** How much of the query indicates the kind, 0 to 1. */
  explained: number;
  /** The likelihood that this kind is meant, 0 to 1. */
  likeness: number;
  /** How much each word of the query indicates this kind, 0 to 1. */
  support: readonly number[];
}

const MOST_KINDS = 8;
/** The number of kinds to compare by cosine. */
const COMPARED = 64;

/**
 * Returns the kinds of business that the query's words indicate together and those near its sentence encoder `vector`,
 * likeliest first.
 */
export function likelyKinds({ words }: ParsedQuery, vector: Vector | null): readonly LikelyKind[] {
  // An adjective alone, such as "elegant", does not tell the kind.
  if (!words.some(({ role }) => role === 'topic')) return [];
  const { tellingOf } = businessKinds();
  const weights = RANKING_WEIGHTS.kinds;
  const meant = words.map(stemsOf);
  const supports = supportsOf(meant);
  const near = vector ? nearestKinds(vector) : new Map<number, number>();
  const tellings = meant.map((stems) => Math.max(0, ...stems.map(({ stem }) => tellingOf(stem))));
  const counts = words.map(({ weight }, at) => weight * (tellings[at] || weights.unknownWord));
  const all = counts.reduce((sum, count) => sum + count, 0);
  const kinds = [...new Set([...supports.keys(), ...near.keys()])]
    .map((kind) => {
      const nearness = near.get(kind) ?? 0;
      const said = supports.get(kind) ?? meant.map(() => 0);
      const together = said.reduce((sum, value, at) => sum + value * (counts[at] ?? 0), 0) / all;
      const plainest = Math.max(...said.map((value, at) => value * (tellings[at] ?? 0)));
      return {
        kind,
        // Nearness of the whole query supports every word.
        support: said.map((value) => Math.max(value, nearness)),
        explained:
          Math.max(together, weights.oneWord * plainest) + weights.nearness.worth * nearness,
      };
    })
    .sort((a, b) => b.explained - a.explained)
    .slice(0, MOST_KINDS);
  const best = kinds[0]?.explained ?? 0;
  if (best < weights.least) return [];
  return withLikeness(kinds.filter(({ explained }) => explained >= weights.leastShare * best));
}

/** Returns the stems that a word may stand for, and their likelihood. */
function stemsOf({ stem, likeness, repairs, joined, forms, alternatives }: QueryTerm): MeantStem[] {
  return [
    { stem, likeness },
    ...repairs.slice(0, 2).map((repair) => ({ stem: repair.stem, likeness: repair.likeness })),
    ...joined.map((both) => ({ stem: both, likeness })),
    ...forms.map((form) => ({ stem: form, likeness: likeness * RANKING_WEIGHTS.match.form })),
    ...alternatives.map((other) => ({ stem: other.stem, likeness: other.likeness })),
  ];
}

/** Returns how much each word indicates each kind, 0 to 1. */
function supportsOf(meant: readonly (readonly MeantStem[])[]): Map<number, number[]> {
  const { evidenceOf } = businessKinds();
  const supports = new Map<number, number[]>();
  const speak = (kind: number, places: readonly number[], worth: number) => {
    const support = supports.get(kind) ?? meant.map(() => 0);
    supports.set(kind, support);
    for (const at of places) support[at] = Math.max(support[at] ?? 0, Math.min(1, worth));
  };
  for (const [at, stems] of meant.entries()) {
    for (const { stem, likeness } of stems) {
      for (const { kind, worth } of evidenceOf(stem)) speak(kind, [at], worth * likeness);
    }
    const [own, next] = [stems[0], meant[at + 1]?.[0]];
    if (!own || !next) continue;
    const factor = RANKING_WEIGHTS.kinds.pair * own.likeness * next.likeness;
    for (const { kind, worth } of evidenceOf(`${own.stem}_${next.stem}`)) {
      speak(kind, [at, at + 1], worth * factor);
    }
  }
  return supports;
}

/** Returns the kinds nearest to a vector, nearest first, with their nearness, 0 to 1. */
export function nearestKinds(vector: Vector): Map<number, number> {
  const { probablyNear, vectorOf, middle } = businessKinds();
  const { from, full } = RANKING_WEIGHTS.kinds.nearness;
  // Any text, even gibberish, is somewhat near to all kinds.
  const usual = cosine(vector, middle);
  const near: [number, number][] = [];
  for (const kind of probablyNear(vector, COMPARED)) {
    const excess = cosineOfBytes(vector, vectorOf(kind)) - usual;
    if (excess > from) near.push([kind, Math.min(1, (excess - from) / (full - from))]);
  }
  return new Map(near.sort(([, a], [, b]) => b - a).slice(0, MOST_KINDS));
}

/** Adds the likelihood of each kind: from its own evidence and that of the others. Expects and keeps the best first. */
function withLikeness(kinds: readonly Omit<LikelyKind, 'likeness'>[]): LikelyKind[] {
  const { enough, doubt, rivals, contrast } = RANKING_WEIGHTS.kinds;
  const best = kinds[0]?.explained ?? 0;
  const share = ({ explained }: { explained: number }) => (explained / best) ** contrast;
  const all = kinds.reduce((sum, each) => sum + share(each), 0);
  return kinds.map((each) => ({
    ...each,
    likeness: Math.min(1, each.explained / enough) ** doubt * (share(each) / all) ** rivals,
  }));
}
