import { readFileSync } from 'node:fs';
import { DIMENSIONS } from '../language/lexicon.ts';
import { createWordTable } from '../language/word-table.ts';
import { type Meaning, meaningOfVector } from '../meaning/meaning.ts';
import { decodeKinds, KIN, type KindsTable, rowsOf, WHOLE_WORTH } from './kinds-table.ts';

/** A kind of business that a term speaks for, and how plainly, 0 to 1. */
interface Evidence {
  kind: number;
  worth: number;
}

/** What is known of kinds of business: what they are called, what belongs to them, what people say who need them. */
export interface BusinessKinds {
  size: number;
  nameOf(kind: number): string;
  /** The kinds that a term speaks for in what people say: a stem, or two with an underscore between them. */
  evidenceOf(term: string): readonly Evidence[];
  /** How plainly a term speaks for the kind for which it does most, 0 to 1. */
  tellingOf(term: string): number;
  /** What people say who need a business, by number: all in which a stem stands. */
  needsWith(stem: string): Uint32Array;
  /** The kind that one of those needs. */
  kindOfNeed(need: number): number;
  /** The terms that names of such businesses are made of, the most telling first, and how much each says. */
  termsOf(kind: number): ReadonlyMap<string, number>;
  /** The kinds of which most is said as of this one, the most alike first; how much alike, 0 to 1. */
  kinOf(kind: number): readonly Evidence[];
  /** Where a kind lies in the space of meanings, by all that is known of it; null when nothing is. */
  meaningOf(kind: number): Meaning | null;
}

let loaded: KindsTable | undefined;
let kinds: BusinessKinds | undefined;

/** The kinds of `kinds.txt`, as `kinds.bin` has them; read once, when first needed. */
export function businessKinds(): BusinessKinds {
  kinds ??= createBusinessKinds(kindsTable());
  return kinds;
}

/** Every single word of what kinds are called and what belongs to them. */
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
  const { names, terms, speaks, needs, kindOfNeed, makes } = table;
  const letters = terms.reduce((sum, term) => sum + term.length, 0);
  const numbers = createWordTable({ words: terms.length, letters });
  for (const term of terms) numbers.set(term, numbers.size);
  const meanings: (Meaning | null)[] = [];
  const ranked: ReadonlyMap<string, number>[] = [];
  return {
    size: names.length,
    nameOf: (kind) => names[kind] ?? '',
    evidenceOf(term) {
      const number = numbers.get(term);
      if (number === undefined) return [];
      const [from, to] = rowsOf(speaks.ends, number);
      const evidence: Evidence[] = [];
      for (let at = from; at < to; at += 1) {
        const worth = (speaks.worths[at] as number) / WHOLE_WORTH;
        evidence.push({ kind: speaks.kinds[at] as number, worth });
      }
      return evidence;
    },
    tellingOf(term) {
      const number = numbers.get(term);
      if (number === undefined) return 0;
      const [from, to] = rowsOf(speaks.ends, number);
      let most = 0;
      for (let at = from; at < to; at += 1) most = Math.max(most, speaks.worths[at] as number);
      return most / WHOLE_WORTH;
    },
    needsWith(stem) {
      const number = numbers.get(stem);
      return number === undefined
        ? new Uint32Array()
        : needs.needs.subarray(...rowsOf(needs.ends, number));
    },
    kindOfNeed: (need) => kindOfNeed[need] ?? 0,
    termsOf(kind) {
      ranked[kind] ??= new Map(
        Array.from(makes.terms.subarray(...rowsOf(makes.ends, kind)), (term, at) => {
          const worth = makes.worths[rowsOf(makes.ends, kind)[0] + at] ?? 0;
          return [terms[term] ?? '', worth / WHOLE_WORTH];
        }),
      );
      return ranked[kind];
    },
    kinOf: (kind) =>
      Array.from(table.kin.kinds.subarray(kind * KIN, (kind + 1) * KIN), (other, at) => ({
        kind: other,
        worth: (table.kin.likeness[kind * KIN + at] ?? 0) / WHOLE_WORTH,
      })).filter(({ worth }) => worth > 0),
    meaningOf(kind) {
      meanings[kind] ??= meaningOfVector(
        table.meanings.subarray(kind * DIMENSIONS, (kind + 1) * DIMENSIONS),
      );
      return meanings[kind];
    },
  };
}
