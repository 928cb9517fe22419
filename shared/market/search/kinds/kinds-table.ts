/** Data about kinds of business in flat arrays, which load instantly and use little memory for thousands of kinds. */
export interface KindsTable {
  /** The name of each kind. */
  names: readonly string[];
  /** Every single word in the names of kinds and the terms that belong to them. */
  words: readonly string[];
  /** Every stem associated with a kind, and every pair of stems joined with an underscore. */
  terms: readonly string[];
  /** By term: the kinds it indicates, and how strongly. */
  speaks: { ends: Uint32Array; kinds: Uint16Array; worths: Uint16Array };
  /** By kind: the terms its business names use, most distinctive first, with their weights. */
  makes: { ends: Uint32Array; terms: Uint32Array; worths: Uint16Array };
  /** By kind: its sentence encoder vector as {@link VECTOR_SIZE} signed bytes. */
  vectors: Int8Array;
}

export const VECTOR_SIZE = 512;

/** Weights from 0 to 1 are stored as integers up to this one. */
export const WHOLE_WORTH = 65_535;

/** Returns where a number's rows begin and end in a column. */
export function rowsOf(ends: Uint32Array, at: number): [from: number, to: number] {
  return [at === 0 ? 0 : (ends[at - 1] ?? 0), ends[at] ?? 0];
}

/** Encodes a table: its counts, its columns in native byte order (widest first), its texts. */
export function encodeKinds({ names, words, terms, speaks, makes, vectors }: KindsTable): Buffer {
  const head = Uint32Array.of(
    names.length,
    words.length,
    terms.length,
    speaks.kinds.length,
    makes.terms.length,
  );
  const columns = [
    ...[head, speaks.ends, makes.ends, makes.terms],
    ...[speaks.kinds, speaks.worths, makes.worths, vectors],
  ].map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));
  const texts = [names, words, terms].map((list) => list.join('\n')).join('\n');
  return Buffer.concat([...columns, Buffer.from(texts)]);
}

/** Decodes the output of {@link encodeKinds}; the columns are views of the bytes. */
export function decodeKinds(bytes: ArrayBuffer): KindsTable {
  let at = 0;
  const take = <T extends Uint32Array | Uint16Array | Int8Array>(
    type: { new (buffer: ArrayBuffer, from: number, length: number): T; BYTES_PER_ELEMENT: number },
    length: number,
  ): T => {
    const column = new type(bytes, at, length);
    at += length * type.BYTES_PER_ELEMENT;
    return column;
  };
  const [kinds = 0, words = 0, terms = 0, said = 0, made = 0] = take(Uint32Array, 5);
  const speaksEnds = take(Uint32Array, terms);
  const makesEnds = take(Uint32Array, kinds);
  const termsOfKinds = take(Uint32Array, made);
  const speaksKinds = take(Uint16Array, said);
  const speaksWorths = take(Uint16Array, said);
  const makesWorths = take(Uint16Array, made);
  const vectors = take(Int8Array, kinds * VECTOR_SIZE);
  const texts = Buffer.from(bytes, at).toString().split('\n');
  return {
    names: texts.slice(0, kinds),
    words: texts.slice(kinds, kinds + words),
    terms: texts.slice(kinds + words, kinds + words + terms),
    speaks: { ends: speaksEnds, kinds: speaksKinds, worths: speaksWorths },
    makes: { ends: makesEnds, terms: termsOfKinds, worths: makesWorths },
    vectors,
  };
}
