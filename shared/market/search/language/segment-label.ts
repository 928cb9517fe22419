import { isLatin } from './text-analysis.ts';
import { wordList } from './word-list.ts';

/** The longest word that is looked for. */
const LONGEST = 20;
/**
 * The cost of a stretch without known words, plus its letters: more than any two words that cover
 * it well.
 */
const UNKNOWN = 10;
const UNKNOWN_LETTER = 2.5;
/** Scraps beside a word are mostly a made-up name that was cut by mistake. */
const SCRAP = 6;
const LONGEST_SCRAP = 2;
/** A number, whatever its length. */
const NUMBER = 6;
/** What every word costs beyond its rareness, so that fewer words win. */
const WORD = 1.2;
/** What words of two letters cost more: nearly any two letters are one. */
const SHORT_WORD = 4;
/** What a word costs more that is so rare that it may be a made-up one as well. */
const RARE_WORD = { from: 25_000, cost: 2 } as const;
/** What a word counts as that the owner uses of this very name. */
const HINT_RANK = 300;
const SHORTEST_HINT = 3;

const NO_HINTS: ReadonlySet<string> = new Set();

/** A piece of a label. */
export interface Segment {
  text: string;
  /** A word, a number or a common affix; not a made-up or foreign stretch. */
  known: boolean;
}

/**
 * Cuts a folded label without separators into its most probable words: `neonwallet` is `neon wallet`. `hints`
 * are words that the owner used of the name. A stretch without known words stays whole, and so do labels of other
 * scripts unless a hint is in them.
 */
export function segmentLabel(label: string, hints: ReadonlySet<string> = NO_HINTS): Segment[] {
  if (!isLatin(label) && ![...hints].some((hint) => label.includes(hint))) {
    return label === '' ? [] : [{ text: label, known: false }];
  }
  const { rankOf } = wordList();
  const cost = [0];
  const from = [0];
  const known = [true];
  for (let end = 1; end <= label.length; end += 1) {
    cost[end] = Number.POSITIVE_INFINITY;
    for (let start = 0; start < end; start += 1) {
      const size = end - start;
      const price = size <= LONGEST ? priceOf(label.slice(start, end), hints, rankOf) : undefined;
      // Two unknown stretches in a row would be one.
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

/** What a word costs; undefined when the piece is none. */
function priceOf(
  piece: string,
  hints: ReadonlySet<string>,
  rankOf: (word: string) => number | undefined,
): number | undefined {
  const code = piece.charCodeAt(0);
  if (code < 58 && /^\d+$/.test(piece)) return NUMBER;
  const hinted = piece.length >= SHORTEST_HINT && hints.has(piece);
  const rank = hinted ? HINT_RANK : rankOf(piece);
  if (rank === undefined) return undefined;
  const doubt =
    (piece.length <= LONGEST_SCRAP ? SHORT_WORD : 0) + (rank > RARE_WORD.from ? RARE_WORD.cost : 0);
  return WORD + Math.log(rank + 30) + doubt;
}
