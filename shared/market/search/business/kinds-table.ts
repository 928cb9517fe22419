import { DIMENSIONS } from '../language/lexicon.ts';

/** What is known of kinds of business, in flat arrays: it is there at once, and a thousand kinds take little memory. */
export interface KindsTable {
  /** What each kind is called. */
  names: readonly string[];
  /** Every single word of what kinds are called and what belongs to them. */
  words: readonly string[];
  /** Every stem that is said of some kind, and every two with an underscore between them. */
  terms: readonly string[];
  /** By term, the kinds for which it speaks, and how plainly. */
  speaks: { ends: Uint32Array; kinds: Uint16Array; worths: Uint16Array };
  /** By term, the needs in which it stands. */
  needs: { ends: Uint32Array; needs: Uint32Array };
  /** By need, the kind that meets it. */
  kindOfNeed: Uint16Array;
  /** By kind, the terms that its names are made of, the most telling first, and how much each says. */
  makes: { ends: Uint32Array; terms: Uint32Array; worths: Uint16Array };
  /** By kind, {@link KIN} others that most is said of as of this one, nearest first, and how alike they are. */
  kin: { kinds: Uint16Array; likeness: Uint16Array };
  /** By kind, where it lies in the space of meanings: {@link DIMENSIONS} numbers, all 0 where that is not known. */
  meanings: Int8Array;
}

/** How many others are kept of each kind. */
export const KIN = 8;

/** Worths from 0 to 1 are kept as whole numbers up to this one. */
export const WHOLE_WORTH = 65_535;

/** Where the rows of one number begin and end in a column. */
export function rowsOf(ends: Uint32Array, at: number): [from: number, to: number] {
  return [at === 0 ? 0 : (ends[at - 1] ?? 0), ends[at] ?? 0];
}

type Column = Uint32Array | Uint16Array | Int8Array | Uint8Array;

/** Wide columns come first, so that each stands where numbers of its width may. */
const columnsOf = ({ speaks, needs, makes, kindOfNeed, kin, meanings }: KindsTable): Column[] => [
  ...[speaks.ends, needs.ends, needs.needs, makes.ends, makes.terms],
  ...[speaks.kinds, speaks.worths, kindOfNeed, makes.worths],
  ...[kin.kinds, kin.likeness, meanings],
];

/** The bytes of a table: how many kinds, words and so on it has, its columns as the machine has them, its texts. */
export function encodeKinds(table: KindsTable): Buffer {
  const texts = [table.names, table.words, table.terms].map((list) => list.join('\n')).join('\n');
  const { names, words, terms, speaks, needs, kindOfNeed, makes } = table;
  const head = Uint32Array.of(
    names.length,
    words.length,
    terms.length,
    speaks.kinds.length,
    needs.needs.length,
    kindOfNeed.length,
    makes.terms.length,
  );
  const parts = [head, ...columnsOf(table)].map(({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength),
  );
  return Buffer.concat([...parts, Buffer.from(texts)]);
}

/** Reads what {@link encodeKinds} made; the columns are views of the bytes. */
export function decodeKinds(bytes: ArrayBuffer): KindsTable {
  let at = 0;
  const take = <T extends Column>(
    type: { new (buffer: ArrayBuffer, from: number, length: number): T; BYTES_PER_ELEMENT: number },
    length: number,
  ): T => {
    const column = new type(bytes, at, length);
    at += length * type.BYTES_PER_ELEMENT;
    return column;
  };
  const [kinds = 0, words = 0, terms = 0, said = 0, stemsOfNeeds = 0, needs = 0, made = 0] = take(
    Uint32Array,
    7,
  );
  const speaksEnds = take(Uint32Array, terms);
  const needsEnds = take(Uint32Array, terms);
  const needsOfTerms = take(Uint32Array, stemsOfNeeds);
  const makesEnds = take(Uint32Array, kinds);
  const termsOfKinds = take(Uint32Array, made);
  const speaksKinds = take(Uint16Array, said);
  const speaksWorths = take(Uint16Array, said);
  const kindOfNeed = take(Uint16Array, needs);
  const makesWorths = take(Uint16Array, made);
  const kin = { kinds: take(Uint16Array, kinds * KIN), likeness: take(Uint16Array, kinds * KIN) };
  const meanings = take(Int8Array, kinds * DIMENSIONS);
  const texts = Buffer.from(bytes, at).toString().split('\n');
  return {
    names: texts.slice(0, kinds),
    words: texts.slice(kinds, kinds + words),
    terms: texts.slice(kinds + words, kinds + words + terms),
    speaks: { ends: speaksEnds, kinds: speaksKinds, worths: speaksWorths },
    needs: { ends: needsEnds, needs: needsOfTerms },
    kindOfNeed,
    makes: { ends: makesEnds, terms: termsOfKinds, worths: makesWorths },
    kin,
    meanings,
  };
}
