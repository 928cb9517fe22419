import { DIMENSIONS, lexicon } from '../language/lexicon.ts';

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
  const sum = new Float32Array(DIMENSIONS);
  let known = false;
  for (const { stem, weight } of stems) known = addStem(sum, stem, weight) || known;
  return known ? unitLength(sum) : null;
}

/** The meaning that a vector of any length points to; null for one without direction. */
export function meaningOfVector(vector: Int8Array): Meaning | null {
  return vector.some((value) => value !== 0) ? unitLength(Float32Array.from(vector)) : null;
}

/** What counts how much of a name: its label, and what the owner says of it. */
const NAME_WEIGHTS = { label: 1, tags: 0.45, about: 0.2 } as const;

/** The meaning of a name, of the stems of its label, of its keywords and of its description. */
export function meaningOfName(
  label: readonly string[],
  tags: readonly string[],
  about: readonly string[],
): Meaning | null {
  const sum = new Float32Array(DIMENSIONS);
  return addName(sum, label, tags, about) ? unitLength(sum) : null;
}

/** A search compares hundreds of names, one after the other, and keeps none of their meanings. */
const compared = new Float32Array(DIMENSIONS);

/** The cosine of a meaning and that of a name, of the stems that {@link meaningOfName} takes; 0 when none is known. */
export function nearnessToName(
  asked: Meaning,
  label: readonly string[],
  tags: readonly string[],
  about: readonly string[],
): number {
  compared.fill(0);
  if (!addName(compared, label, tags, about)) return 0;
  let product = 0;
  let square = 0;
  for (let at = 0; at < DIMENSIONS; at += 1) {
    const value = compared[at] as number;
    product += (asked[at] as number) * value;
    square += value * value;
  }
  return square === 0 ? 0 : product / Math.sqrt(square);
}

function addName(
  sum: Float32Array,
  label: readonly string[],
  tags: readonly string[],
  about: readonly string[],
): boolean {
  let known = false;
  for (const stem of label) known = addStem(sum, stem, NAME_WEIGHTS.label) || known;
  for (const stem of tags) known = addStem(sum, stem, NAME_WEIGHTS.tags) || known;
  for (const stem of about) known = addStem(sum, stem, NAME_WEIGHTS.about) || known;
  return known;
}

/** Adds what a stem means to `sum`; returns whether it is known. */
function addStem(sum: Float32Array, stem: string, weight: number): boolean {
  const { idOf, rankAt, addVectorAt } = lexicon();
  const id = idOf(stem);
  if (id === undefined) return false;
  const rank = rankAt(id);
  addVectorAt(id, (weight * rank) / (rank + COMMON_RANK), sum);
  return true;
}

/** The cosine of two meanings, -1 to 1. */
export function nearness(a: Meaning, b: Meaning): number {
  let sum = 0;
  const size = a.length;
  for (let at = 0; at < size; at += 1) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

function unitLength(vector: Float32Array): Float32Array {
  const length = Math.sqrt(nearness(vector, vector));
  if (length === 0) return vector;
  const size = vector.length;
  for (let at = 0; at < size; at += 1) vector[at] = (vector[at] as number) / length;
  return vector;
}
