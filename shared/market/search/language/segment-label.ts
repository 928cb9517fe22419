import { isLatin } from './text-analysis.ts';
import { wordList } from './word-list.ts';

/** The longest word to look up. */
const LONGEST = 20;
/** The cost of an unknown stretch, plus its letters: more than any two words that cover it well. */
const UNKNOWN = 10;
const UNKNOWN_LETTER = 2.5;
/** The extra cost of a short leftover: next to a word it usually means a wrongly split made-up name. */
const SCRAP = 6;
const LONGEST_SCRAP = 2;
/** The cost of a number of any length. */
const NUMBER = 6;
/** The fixed cost per word, so that fewer words win. */
const WORD = 1.2;
/** The extra cost of a two-letter word: nearly any two letters are one. */
const SHORT_WORD = 4;
/** The extra cost of a word so rare that it may be made up. */
const RARE_WORD = { from: 25_000, cost: 2 } as const;

/** A piece of a label. */
export interface Segment {
  text: string;
  /** Whether it is a word, number or common affix, not a made-up or foreign stretch. */
  known: boolean;
}

/**
 * Splits a folded label without separators into its most probable words: `neonwallet` is `neon wallet`. A stretch
 * without known words stays whole, and so do labels in other scripts.
 */
export function segmentLabel(label: string): Segment[] {
  if (!isLatin(label)) return label === '' ? [] : [{ text: label, known: false }];
  const { rankOf } = wordList();
  const cost = [0];
  const from = [0];
  const known = [true];
  for (let end = 1; end <= label.length; end += 1) {
    cost[end] = Number.POSITIVE_INFINITY;
    for (let start = 0; start < end; start += 1) {
      const size = end - start;
      const price = size <= LONGEST ? priceOf(label.slice(start, end), rankOf) : undefined;
      // Two adjacent unknown stretches would be one.
      if (price === undefined && start > 0 && known[start] === false) continue;
      const total = (cost[start] ?? 0) + (price ?? priceOfUnknown(size));
      if (total < (cost[end] ?? 0)) {
        cost[end] = total;
        from[end] = start;
        known[end] = price !== undefined;
      }
    }
  }
  const pieces: Segment[] = [];
  for (let end = label.length; end > 0; end = from[end] ?? 0) {
    pieces.unshift({ text: label.slice(from[end] ?? 0, end), known: known[end] ?? false });
  }
  return pieces;
}

function priceOfUnknown(size: number): number {
  return UNKNOWN + UNKNOWN_LETTER * size + (size <= LONGEST_SCRAP ? SCRAP : 0);
}

/** Returns the cost of a word; undefined if the piece is not a word. */
function priceOf(piece: string, rankOf: (word: string) => number | undefined): number | undefined {
  const code = piece.charCodeAt(0);
  if (code < 58 && /^\d+$/.test(piece)) return NUMBER;
  const rank = rankOf(piece);
  if (rank === undefined) return undefined;
  const doubt =
    (piece.length <= LONGEST_SCRAP ? SHORT_WORD : 0) + (rank > RARE_WORD.from ? RARE_WORD.cost : 0);
  return WORD + Math.log(rank + 30) + doubt;
}
