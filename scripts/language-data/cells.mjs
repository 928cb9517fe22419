import { addTo, normalize } from './linear-algebra.mjs';
import { toBytes } from './stem-vectors.mjs';

const CELLS = 1_024;
const SAMPLES = 40_000;
const ROUNDS = 10;
const SEED = 20_261_122;

/** Where names lie in the space of meanings: the middles of 1,024 cells, learned from names of one to three words. */
export function makeCells(unit, weightOf) {
  const random = createRandom(SEED);
  const samples = Array.from({ length: SAMPLES }, () => makeName(unit, weightOf, random));
  const flat = Float32Array.from(samples.flatMap((vector) => [...vector]));
  const dimensions = unit[0].length;
  let middles = samples.slice(0, CELLS);
  for (let round = 0; round < ROUNDS; round += 1) {
    const sums = middles.map(() => new Float64Array(dimensions));
    const current = Float32Array.from(middles.flatMap((vector) => [...vector]));
    for (let at = 0; at < SAMPLES; at += 1) {
      addTo(sums[nearestOf(flat, at * dimensions, current, dimensions)], samples[at], 1);
    }
    middles = sums.map((sum, cell) =>
      sum.some((value) => value !== 0) ? normalize(sum) : middles[cell],
    );
  }
  return Buffer.concat(middles.map(toBytes));
}

function makeName(unit, weightOf, random) {
  const sum = new Float64Array(unit[0].length);
  const words = 1 + Math.floor(3 * random());
  for (let word = 0; word < words; word += 1) {
    // The commoner a word, the oftener it stands in names.
    const at = Math.floor((unit.length - 1) ** random());
    addTo(sum, unit[at], weightOf(at));
  }
  return normalize(sum);
}

function nearestOf(flat, from, middles, dimensions) {
  let [best, nearest] = [0, -2];
  for (let cell = 0; cell < CELLS; cell += 1) {
    let sum = 0;
    for (let d = 0; d < dimensions; d += 1) sum += flat[from + d] * middles[cell * dimensions + d];
    if (sum > nearest) [best, nearest] = [cell, sum];
  }
  return best;
}

/** Mulberry32: the same numbers at every run. */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
