import { phrases, skip } from './phrase-table.ts';
import { isBoundary, orLessAt, rangeAt } from './quantities.ts';
import type { Claim, QueryContext } from './recognizer.ts';
import { isOfName } from './wish-phrases.ts';

const WORDS = phrases('word, words');
const ONLY = phrases('only, max');

/** More words make no name. */
const MOST_WORDS = 4;

/** `two words`, `three-word`: words of the name, unless a topic follows that is made of them. */
export function recognizeWordCount({ tokens }: QueryContext, at: number): Claim | undefined {
  const asked = rangeAt(tokens, at);
  const words = asked && WORDS.at(tokens, asked.end);
  if (!words || Math.max(asked.least ?? 0, asked.most ?? 0) > MOST_WORDS) return undefined;
  const range = orLessAt(tokens, { ...asked, end: words.end }) ?? asked;
  const end = range === asked ? skip(ONLY, tokens, words.end) : range.end;
  if (!isBoundary(tokens, end) && !isOfName(tokens, end)) return undefined;
  // Between bounds it says that words are wanted.
  const { least, most } = range;
  return { end, meaning: least === most ? { words: most } : { wishes: ['descriptive'] } };
}
