import { DIMENSIONS, lexicon, VECTOR_SCALE } from '../language/lexicon.ts';

/** Where a text lies in the space of meanings: a vector of length 1. The nearer two texts, the larger their dot product. */
export type Meaning = Float32Array;

/** A stem of a text, and how much it counts beside the others. */
export interface WeightedStem {
  stem: string;
  weight: number;
}

/** Words up to about this rank say so little that they count half or less. */
const COMMON_RANK = 150;

/** The meaning of a text: the weighted mean of its stems, of which common ones count for less; null when none is known. */
export function meaningOf(stems: readonly WeightedStem[]): Meaning | null {
  const { idOf, rankAt, vectorAt } = lexicon();
  const sum = new Float32Array(DIMENSIONS);
  let known = false;
  for (const { stem, weight } of stems) {
    const id = idOf(stem);
    if (id === undefined) continue;
    known = true;
    const rank = rankAt(id);
    const factor = (weight * rank) / (rank + COMMON_RANK);
    addTo(sum, vectorAt(id), factor);
  }
  return known ? unitLength(sum) : null;
}

/** What counts how much of a name: its label, and what the owner says of it. */
const NAME_WEIGHTS = { label: 1, tags: 0.45, about: 0.2 } as const;

/** The meaning of a name, of the stems of its label, of its keywords and of its description. */
export function meaningOfName(
  label: readonly string[],
  tags: readonly string[],
  about: readonly string[],
): Meaning | null {
  const weighted = (stems: readonly string[], weight: number) =>
    stems.map((stem) => ({ stem, weight }));
  return meaningOf([
    ...weighted(label, NAME_WEIGHTS.label),
    ...weighted(tags, NAME_WEIGHTS.tags),
    ...weighted(about, NAME_WEIGHTS.about),
  ]);
}

/** The cosine of two meanings, -1 to 1. */
export function nearness(a: Meaning, b: Meaning): number {
  let sum = 0;
  const size = a.length;
  for (let at = 0; at < size; at += 1) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

/** The cosine of the meanings of two stems; 0 when one of them is not known. */
export function nearnessOfStems(one: string, other: string): number {
  const { idOf, vectorAt } = lexicon();
  const [a, b] = [idOf(one), idOf(other)];
  if (a === undefined || b === undefined) return 0;
  const [left, right] = [vectorAt(a), vectorAt(b)];
  let sum = 0;
  for (let at = 0; at < DIMENSIONS; at += 1) sum += (left[at] as number) * (right[at] as number);
  return sum / VECTOR_SCALE ** 2;
}

function addTo(sum: Float32Array, vector: Int8Array, factor: number): void {
  const size = vector.length;
  for (let at = 0; at < size; at += 1) {
    sum[at] = (sum[at] as number) + factor * (vector[at] as number);
  }
}

function unitLength(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  return length === 0 ? vector : vector.map((value) => value / length);
}
