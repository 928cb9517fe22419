import { bytesOf, DIMENSIONS, readData } from '../language/lexicon.ts';
import type { Meaning } from './meaning.ts';

let loaded: Int8Array | undefined;

/** The middles of the cells, one after the other; read once, when first needed. */
function middles(): Int8Array {
  loaded ??= bytesOf(readData('cells.bin'));
  return loaded;
}

/** How many cells there are. */
export function cellCount(): number {
  return middles().length / DIMENSIONS;
}

/** The numbers of the cells of the space of meanings that are nearest to `meaning`, nearest first. */
export function nearestCells(meaning: Meaning, count: number): number[] {
  const near = nearnessToCells(meaning);
  const least = Float32Array.from(near).sort()[Math.max(0, near.length - count)] ?? 0;
  const cells: number[] = [];
  for (let cell = 0; cell < near.length; cell += 1) {
    if ((near[cell] as number) >= least) cells.push(cell);
  }
  return cells.sort((a, b) => (near[b] as number) - (near[a] as number)).slice(0, count);
}

/** The cell that `meaning` is in. */
export function cellOf(meaning: Meaning): number {
  const near = nearnessToCells(meaning);
  let best = 0;
  for (let cell = 1; cell < near.length; cell += 1) {
    if ((near[cell] ?? 0) > (near[best] ?? 0)) best = cell;
  }
  return best;
}

function nearnessToCells(meaning: Meaning): Float32Array {
  const table = middles();
  const near = new Float32Array(cellCount());
  for (let cell = 0; cell < near.length; cell += 1) {
    near[cell] = product(table, cell * meaning.length, meaning);
  }
  return near;
}

/**
 * The dot product of `meaning` and the bytes of `table` from there on. In four sums, as an addition has to wait for the
 * one before it; {@link DIMENSIONS} is a multiple of four.
 */
function product(table: Int8Array, from: number, meaning: Meaning): number {
  let [one, two, three, four] = [0, 0, 0, 0];
  for (let at = 0; at < DIMENSIONS; at += 4) {
    const place = from + at;
    one += (table[place] as number) * (meaning[at] as number);
    two += (table[place + 1] as number) * (meaning[at + 1] as number);
    three += (table[place + 2] as number) * (meaning[at + 2] as number);
    four += (table[place + 3] as number) * (meaning[at + 3] as number);
  }
  return one + two + three + four;
}

/** The signs of a meaning's numbers as bits: those of two meanings differ in the fewer places the nearer they are. */
export function signatureOf(meaning: Meaning): string {
  return Array.from(meaning, (value) => (value > 0 ? '1' : '0')).join('');
}
