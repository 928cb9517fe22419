import { MAX_LABEL_LENGTH } from '../names/domain-name.ts';
import { boundsPrice, type CandidateFilter } from './candidate-filter.ts';
import { stem } from './language/stem.ts';
import { labelTerm, NAME_SHAPES, type NameShape } from './search-document.ts';
import type { QueryLimits } from './understanding/interpretation.ts';

/**
 * Where to find good names for a query without a topic: the best of each shape and length, and names with the requested
 * price or letters.
 */
export interface BestNamesPlan {
  shapes: readonly NameShape[];
  lengths: readonly number[];
  /** Names read per shape and length (and suffix), and the number kept of those that pass the filter. */
  scanned: number;
  taken: number;
  /** Names read in price order; 0 for none. */
  priced: number;
  dearest: boolean;
  prefix: string | null;
  terms: readonly string[];
  inside: readonly string[];
}

/** Totals over all shapes, lengths and suffixes. They limit the cost, whatever the size of the inventory. */
const SCANNED = 2_500;
const SCANNED_OF_PATTERN = 5_000;
const TAKEN = 500;
const PRICED = 300;
const LEAST_TAKEN = 4;
/** Longer numbers are too many to look up one by one. */
const MOST_DIGITS = 3;
/** The number of lengths searched, starting at the shortest requested. */
const MAX_LENGTHS = 10;
/** The shortest length searched by default; shorter names are few and never cheap. */
const SHORTEST = 2;
/** Shorter pieces are too common for a trigram index. */
const SHORTEST_INSIDE = 3;

/** Plans the reads for a query. */
export function planBestNames(limits: QueryLimits, filter: CandidateFilter): BestNamesPlan {
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
    shapes,
    lengths,
    scanned,
    // Patterns are checked after the names are taken.
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

/** Returns all numbers with so few digits. They are not plain words, so they are not among the best names. */
function numbersOf(digits: number): string[] {
  if (digits > MOST_DIGITS) return [];
  return Array.from({ length: 10 ** digits }, (_, number) => String(number).padStart(digits, '0'));
}

/** Returns the shapes for a number of words; a made-up name counts as one or two words. */
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
