import { MAX_LABEL_LENGTH } from '../names/domain-name.ts';
import { boundsPrice, type CandidateFilter } from './candidate-filter.ts';
import { stem } from './language/stem.ts';
import { labelTerm, NAME_SHAPES, type NameShape } from './search-document.ts';
import type { QueryLimits } from './understanding/interpretation.ts';

/**
 * Where to look for good names when a query has no topic: in the best of each shape and length, and among names
 * with the asked-for price or letters.
 */
export interface BestNamesPlan {
  shapes: readonly NameShape[];
  lengths: readonly number[];
  /** Names that are read of each shape and length (and suffix), and taken of those if they pass the filter. */
  scanned: number;
  taken: number;
  /** Names that are read in the order of their price; 0 for none. */
  priced: number;
  dearest: boolean;
  prefix: string | null;
  terms: readonly string[];
  inside: readonly string[];
}

/** Of all shapes, lengths and suffixes together; they bound the cost, whatever the inventory has. */
const SCANNED = 2_500;
const SCANNED_OF_PATTERN = 5_000;
const TAKEN = 500;
const PRICED = 300;
const LEAST_TAKEN = 4;
/** Longer numbers are too many to look for each. */
const MOST_DIGITS = 3;
/** Lengths that are looked at, from the shortest that is wanted. */
const MAX_LENGTHS = 10;
/** Most names are longer; shorter ones are never cheap. */
const SHORTEST = 2;
/** Shorter pieces are too common for an index of runs of three letters. */
const SHORTEST_INSIDE = 3;

/** Plans what is read for a query, of all shapes that its words ask for or only of those that are of `use`. */
export function planBestNames(
  limits: QueryLimits,
  filter: CandidateFilter,
  use: readonly NameShape[] = Object.values(NAME_SHAPES),
): BestNamesPlan {
  const { startsWith, endsWith, contains } = limits;
  const letters = [startsWith, endsWith, ...contains].filter((text) => text !== null);
  const shapes = shapesOf(limits.words);
  const lengths = lengthsOf(limits, letters);
  const cells = Math.max(1, shapes.length * lengths.length * (filter.tlds?.length ?? 1));
  const taken = Math.max(LEAST_TAKEN, Math.floor(TAKEN / cells));
  const isPattern = filter.written.length > 0 || filter.notWritten.length > 0;
  const passesAll =
    !boundsPrice(filter) &&
    !isPattern &&
    filter.patterns.length === 0 &&
    filter.notPatterns.length === 0 &&
    filter.words === undefined &&
    filter.excludedTlds.length === 0;
  const scanned = passesAll
    ? taken
    : Math.max(taken, Math.floor((isPattern ? SCANNED_OF_PATTERN : SCANNED) / cells));
  const wantsCheap = limits.wishes.includes('cheap');
  return {
    shapes: shapes.filter((shape) => use.includes(shape)),
    lengths,
    scanned,
    // Patterns are looked at after the names are taken.
    taken: isPattern ? scanned : taken,
    priced: boundsPrice(filter) || wantsCheap || isPattern ? PRICED : 0,
    dearest: filter.maxPriceCents === undefined && !wantsCheap,
    prefix: startsWith,
    terms: [
      ...contains,
      ...(endsWith === null ? [] : [endsWith]),
      ...(limits.onlyDigits ? lengths.flatMap(numbersOf) : []),
    ].map((text) => labelTerm(stem(text))),
    inside: [
      ...contains.map((text) => [text, `%${text}%`] as const),
      ...(endsWith === null ? [] : [[endsWith, `%${endsWith}`] as const]),
    ]
      .filter(([text]) => text.length >= SHORTEST_INSIDE)
      .map(([, pattern]) => pattern),
  };
}

/** All numbers of so few digits: as names they are plain to nobody, and so are not among the best. */
function numbersOf(digits: number): string[] {
  if (digits > MOST_DIGITS) return [];
  return Array.from({ length: 10 ** digits }, (_, number) => String(number).padStart(digits, '0'));
}

/** Names of so many words; a made-up one counts as one word or two. */
function shapesOf(words: number | null): readonly NameShape[] {
  const { word, coined, pair, phrase } = NAME_SHAPES;
  if (words === null) return Object.values(NAME_SHAPES);
  if (words > 2) return [phrase];
  return words === 1 ? [word, coined] : [pair, coined];
}

function lengthsOf({ minLength, maxLength }: QueryLimits, letters: readonly string[]): number[] {
  const to = Math.min(maxLength ?? MAX_LABEL_LENGTH, MAX_LABEL_LENGTH);
  const from = Math.min(minLength ?? Math.max(SHORTEST, ...letters.map((text) => text.length)), to);
  const lengths: number[] = [];
  for (let length = from; length <= to && lengths.length < MAX_LENGTHS; length += 1) {
    lengths.push(length);
  }
  return lengths;
}
