import { bytesOf, DIMENSIONS, readData } from '../language/lexicon.ts';
import type { Meaning } from './meaning.ts';

let middles: Int8Array | undefined;

/** The numbers of the cells of the space of meanings that are nearest to `meaning`, nearest first. */
export function nearestCells(meaning: Meaning, count: number): number[] {
  middles ??= bytesOf(readData('cells.bin'));
  const cells = middles.length / DIMENSIONS;
  const near = new Float32Array(cells);
  for (let cell = 0; cell < cells; cell += 1) {
    let sum = 0;
    for (let at = 0; at < DIMENSIONS; at += 1) {
      sum += (middles[cell * DIMENSIONS + at] ?? 0) * (meaning[at] ?? 0);
    }
    near[cell] = sum;
  }
  return Array.from(near.keys())
    .sort((a, b) => (near[b] ?? 0) - (near[a] ?? 0))
    .slice(0, count);
}

/** The signs of a meaning's numbers as bits: those of two meanings differ in the fewer places the nearer they are. */
export function signatureOf(meaning: Meaning): string {
  return Array.from(meaning, (value) => (value > 0 ? '1' : '0')).join('');
}
