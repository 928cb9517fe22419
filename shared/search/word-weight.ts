import type { AskedWord } from './query.ts';
import { labelTerm, tagTerm } from './term-names.ts';
import type { TermStatistics } from './term-statistics.ts';
import { WEIGHTS } from './weights.ts';

/** One name in so many has a word: rarer ones do not count more. */
const RAREST = 1_000;

/** What a word of a query counts for: what the business is most, and most of all if few names have it. */
export function weightOf(asked: AskedWord, { size, countOf }: TermStatistics): number {
  const { word } = WEIGHTS;
  const count = countOf(labelTerm(asked.stem)) + countOf(tagTerm(asked.stem));
  const rareness = count > 0 ? Math.min(1, Math.log(size / count) / Math.log(RAREST)) : 1;
  return word[asked.role] * (word.common + (1 - word.common) * Math.max(0, rareness));
}
