import { STOP_WORDS } from '../language/text-analysis.ts';
import { phrases, skip } from './phrase-table.ts';
import {
  ABOVE,
  AROUND,
  AT_LEAST,
  AT_MOST,
  BELOW,
  countAt,
  EXACTLY,
  isBoundary,
  OR_LESS,
  OR_MORE,
  RANGE,
} from './quantities.ts';
import type { Claim, QueryContext } from './recognizer.ts';
import { NAME_NOUNS } from './wish-phrases.ts';

const WORDS = phrases('word, words');
const ONLY = phrases('only, max');
const BOUNDS = [AT_MOST, BELOW, AT_LEAST, ABOVE, AROUND];

/** More words make no name. */
const MOST_WORDS = 4;

/** `two words`, `three-word`: words of the name, unless a topic follows that is made of them. */
export function recognizeWordCount({ tokens }: QueryContext, at: number): Claim | undefined {
  const bound = BOUNDS.map((table) => table.at(tokens, at)).find((told) => told);
  const first = countAt(tokens, bound?.end ?? skip(EXACTLY, tokens, at));
  const range = first && RANGE.at(tokens, first.end);
  const count = (range && countAt(tokens, range.end)) ?? first;
  if (!count || count.value > MOST_WORDS) return undefined;
  const words = WORDS.at(tokens, count.end);
  if (!words) return undefined;
  const less = OR_LESS.at(tokens, words.end) ?? OR_MORE.at(tokens, words.end);
  const end = less?.end ?? skip(ONLY, tokens, words.end);
  const next = tokens[end];
  const isOfName =
    isBoundary(tokens, end) ||
    next?.kind !== 'word' ||
    STOP_WORDS.has(next.word) ||
    NAME_NOUNS.at(tokens, end);
  if (!isOfName) return undefined;
  // Between bounds it says that words are wanted.
  if (bound || less || count !== first) return { end, meaning: { wishes: ['descriptive'] } };
  return { end, meaning: { words: count.value } };
}
