import type { AskedWord } from './query.ts';
import { labelTerm, tagTerm } from './term-names.ts';
import type { TermStatistics } from './term-statistics.ts';
import { WEIGHTS } from './weights.ts';

/** What a word of a query counts for: generic words less, rare words of the inventory a little more. */
export function weightOf(word: AskedWord, { size, countOf }: TermStatistics): number {
  const count = Math.max(countOf(labelTerm(word.stem)) + countOf(tagTerm(word.stem)), 1);
  const rareness =
    size > 0 ? Math.min(1, Math.log(Math.max(1, size / count)) / Math.log(1_000)) : 1;
  return (
    (word.generic ? WEIGHTS.word.generic : 1) *
    (WEIGHTS.word.common + (1 - WEIGHTS.word.common) * rareness)
  );
}
