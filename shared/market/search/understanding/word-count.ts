import { phrases, skip } from './phrase-table.ts';
import { isBoundary, orLessAt, rangeAt } from './quantities.ts';
import type { Claim, QueryContext } from './recognizer.ts';
import { isOfName } from './wish-phrases.ts';

const WORDS = phrases('word, words');
const ONLY = phrases('only, max');

/** Names don't have more words. */
const MOST_WORDS = 4;

/** Recognizes the number of words in the name: `two words`, `three-word`, unless a topic with them follows. */
export function recognizeWordCount({ tokens }: QueryContext, at: number): Claim | undefined {
  const asked = rangeAt(tokens, at);
  const words = asked && WORDS.at(tokens, asked.end);
  if (!words || Math.max(asked.least ?? 0, asked.most ?? 0) > MOST_WORDS) return undefined;
  const range = orLessAt(tokens, { ...asked, end: words.end }) ?? asked;
  const end = range === asked ? skip(ONLY, tokens, words.end) : range.end;
  if (!isBoundary(tokens, end) && !isOfName(tokens, end)) return undefined;
  // A range only says that the buyer wants words.
  const { least, most } = range;
  return { end, meaning: least === most ? { words: most } : { wishes: ['descriptive'] } };
}
