import { readFileSync } from 'node:fs';
import { unitLength, type Vector } from '../embeddings/vector.ts';
import { createWordTable } from '../language/word-table.ts';
import { decodeKinds, type KindsTable, rowsOf, VECTOR_SIZE, WHOLE_WORTH } from './kinds-table.ts';

/** A kind of business that a term indicates, and how strongly, 0 to 1. */
interface Evidence {
  kind: number;
  worth: number;
}

/** Kinds of business: their names, and the terms that belong to them. */
export interface BusinessKinds {
  size: number;
  nameOf(kind: number): string;
  /** Returns the kinds that a term (a stem, or two joined with an underscore) indicates. */
  evidenceOf(term: string): readonly Evidence[];
  /** Returns the strongest weight of a term for any kind, 0 to 1. */
  tellingOf(term: string): number;
  /** Returns the terms that such businesses use in names, most distinctive first, with their weights. */
  termsOf(kind: number): ReadonlyMap<string, number>;
  /** Returns a kind's sentence encoder vector. */
  vectorOf(kind: number): Int8Array;
  /** The mean direction of all kinds. */
  middle: Vector;
  /** Returns about `count` kinds probably nearest to a vector, by the signs of its numbers relative to the mean. */
  probablyNear(vector: Vector, count: number): readonly number[];
}

let loaded: KindsTable | undefined;
let kinds: BusinessKinds | undefined;

/** Returns the kinds of `kinds.txt`, compiled into `kinds.bin`; loaded on first use. */
export function businessKinds(): BusinessKinds {
  kinds ??= createBusinessKinds(kindsTable());
  return kinds;
}

/** Returns every single word in the names of kinds and the terms that belong to them. */
export function wordsOfKinds(): readonly string[] {
  return kindsTable().words;
}

function kindsTable(): KindsTable {
  loaded ??= decodeKinds(
    new Uint8Array(readFileSync(new URL('./kinds.bin', import.meta.url))).buffer,
  );
  return loaded;
}

export function createBusinessKinds(table: KindsTable): BusinessKinds {
  const { names, terms, speaks, makes, vectors } = table;
  const letters = terms.reduce((sum, term) => sum + term.length, 0);
  const numbers = createWordTable({ words: terms.length, letters });
  for (const term of terms) numbers.set(term, numbers.size);
  const ranked: ReadonlyMap<string, number>[] = [];
  const evidenceOf = (term: string): Evidence[] => {
    const number = numbers.get(term);
    if (number === undefined) return [];
    const [from, to] = rowsOf(speaks.ends, number);
    return Array.from({ length: to - from }, (_, at) => ({
      kind: speaks.kinds[from + at] as number,
      worth: (speaks.worths[from + at] as number) / WHOLE_WORTH,
    }));
  };
  const vectorOf = (kind: number) => vectors.subarray(kind * VECTOR_SIZE, (kind + 1) * VECTOR_SIZE);
  const middle = middleOf(names.map((_, kind) => vectorOf(kind)));
  const bits = names.map((_, kind) => bitsOf(lengthOne(vectorOf(kind)), middle));
  return {
    size: names.length,
    nameOf: (kind) => names[kind] ?? '',
    evidenceOf,
    tellingOf: (term) => Math.max(0, ...evidenceOf(term).map(({ worth }) => worth)),
    termsOf(kind) {
      const [from, to] = rowsOf(makes.ends, kind);
      ranked[kind] ??= new Map(
        Array.from(makes.terms.subarray(from, to), (term, at) => [
          terms[term] ?? '',
          (makes.worths[from + at] ?? 0) / WHOLE_WORTH,
        ]),
      );
      return ranked[kind];
    },
    vectorOf,
    middle,
    probablyNear(vector, count) {
      const wanted = bitsOf(vector, middle);
      const differing = names.map((_, kind) => differenceOf(bits[kind] as Uint32Array, wanted));
      const least = Uint16Array.from(differing).sort()[Math.min(count, names.length) - 1] ?? 0;
      return [...names.keys()].filter((kind) => (differing[kind] as number) <= least);
    },
  };
}

/** Returns a bit per number of a vector: whether it is above the mean. */
function bitsOf(vector: Vector, middle: Vector): Uint32Array {
  const bits = new Uint32Array(VECTOR_SIZE / 32);
  for (let at = 0; at < VECTOR_SIZE; at += 1) {
    if ((vector[at] as number) > (middle[at] as number))
      bits[at >>> 5] = (bits[at >>> 5] as number) | (1 << (at & 31));
  }
  return bits;
}

/** Counts the bits that differ. */
function differenceOf(one: Uint32Array, other: Uint32Array): number {
  let count = 0;
  for (let at = 0; at < one.length; at += 1) {
    let bits = (one[at] as number) ^ (other[at] as number);
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

/** Kinds without a vector, as in tests, stay zero. */
function lengthOne(vector: Int8Array): Vector {
  return vector.some((value) => value !== 0) ? unitLength(vector) : Float32Array.from(vector);
}

function middleOf(vectors: readonly Int8Array[]): Vector {
  const sum = new Float64Array(VECTOR_SIZE);
  for (const vector of vectors) {
    for (let at = 0; at < VECTOR_SIZE; at += 1) sum[at] = (sum[at] as number) + (vector[at] ?? 0);
  }
  return unitLength(sum.some((value) => value !== 0) ? sum : sum.fill(1));
}
