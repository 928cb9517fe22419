import { STOP_WORDS } from '../language/text-analysis.ts';
import { phraseLists, phrases, phrasesOf, phraseTable, skip } from './phrase-table.ts';
import {
  type CountRange,
  EXACTLY,
  isBoundary,
  orLessAt,
  otherBoundAt,
  rangeAt,
} from './quantities.ts';
import type { QueryToken } from './query-tokens.ts';
import type { Claim, QueryContext } from './recognizer.ts';
import { isOfName } from './wish-phrases.ts';

/** The unit of length: any characters, only letters, or only digits. */
const UNIT = phraseTable(
  (
    [
      [
        '文字, char, chars, character, characters, letters or characters, letters or digits, letters or numbers',
        'sign',
      ],
      ['字母, 个字母, 個字母, 位字母, letter, letters, lettered, ltr, ltrs', 'letter'],
      [
        '位数字, 个数字, digit, digits, number, numbers, numeral, numerals, numeric, numerics, digit number, digit numbers, digit numeric, digit numerics',
        'digit',
      ],
    ] as const
  ).flatMap(([units, kind]) =>
    phrasesOf(units).flatMap((unit) =>
      ['', ' long', ' in length', ' total', ' each', ' only'].map(
        (end) => [unit + end, kind] as const,
      ),
    ),
  ),
);
const ONLY = {
  sign: {},
  letter: { noHyphens: true, noDigits: true },
  digit: { onlyDigits: true },
} as const;

/** Phrases that make a number without a unit a length. */
const OF_LENGTH = phrases(
  'shorter than, not longer than, no longer than, longer than, not shorter than, no shorter than',
);
const LENGTH = phraseLists<'exact' | 'most' | 'least'>([
  [
    'length, length of, length is, length :, length =, name length, name length of, label length',
    'exact',
  ],
  [
    'max length, max length of, maximum length, maximum length of, length max, length up to, max length :, length limit, length limit of',
    'most',
  ],
  [
    'min length, min length of, minimum length, minimum length of, length min, min length :',
    'least',
  ],
]);
const WORDS_OF = phrases('word of, words of, word with, words with');
const WORDS = phrases('word, words');
/** Written letters: "two letters to my daughter". */
const WRITTEN = /^(to|from|of|by|home)$/;
/** Numbers this small without a unit can only mean letters: `six max`. */
const FEW = { from: 3, to: 12 } as const;

/** Recognizes the length of a name: "max 6 letters", "four letter", "between 4 and 6 characters", "5 digits". */
export function recognizeLength({ tokens }: QueryContext, at: number): Claim | undefined {
  const told = LENGTH.at(tokens, at);
  const asked = rangeAt(tokens, told?.end ?? skip(WORDS_OF, tokens, at));
  if (!asked) return undefined;
  const { end, least, most } = asked;
  const unit = UNIT.at(tokens, end);
  if (!unit) {
    const isLength = told || OF_LENGTH.at(tokens, at) || isLengthAlone(tokens, at, asked);
    const isLong = tokens[end]?.word === 'long' && isBoundary(tokens, end + 1);
    if (!isLength && !isLong) return undefined;
    return claim(isLong ? end + 1 : end, sideOf(asked, told?.value));
  }
  const isExact = least === most;
  const range =
    orLessAt(tokens, { ...asked, end: unit.end }) ??
    otherBoundAt(tokens, { ...asked, end: unit.end });
  let last = range?.end ?? unit.end;
  if (range) last = skip(UNIT, tokens, last);
  const exactly = EXACTLY.at(tokens, last);
  if (exactly && isBoundary(tokens, exactly.end)) last = exactly.end;
  const words = WORDS.at(tokens, last);
  if (words) {
    // In "a game of five letter words", the topic is words.
    const next = tokens[words.end];
    if (next?.kind === 'word' && !STOP_WORDS.has(next.word)) return undefined;
    last = words.end;
  }
  const next = tokens[last]?.word ?? '';
  if (
    WRITTEN.test(next) &&
    tokens[last - 1]?.word === 'letters' &&
    tokens[last + 1]?.kind === 'word'
  )
    return undefined;
  if (unit.value === 'digit' && !isOfName(tokens, last)) return undefined;
  const isOnly = unit.value === 'digit' || (isExact && !range);
  return claim(last, sideOf(range ?? asked, told?.value), isOnly ? ONLY[unit.value] : {});
}

/** `exactly 5`, `six max`: without a unit, such small numbers can only be a length. */
function isLengthAlone(tokens: readonly QueryToken[], at: number, range: CountRange): boolean {
  const { end, least, most } = range;
  if (!isBoundary(tokens, end)) return false;
  if (least !== null) return least === most && /^(exactly|precisely)$/.test(tokens[at]?.word ?? '');
  const isFree = at === 0 || isBoundary(tokens, at - 1);
  return isFree && range.isAfter === true && most !== null && most >= FEW.from && most <= FEW.to;
}

/** Makes a single number after "max length" an upper bound, after "min length" a lower one. */
function sideOf(range: CountRange, told: 'exact' | 'most' | 'least' = 'exact'): CountRange {
  if (range.least !== range.most || told === 'exact') return range;
  return { ...range, [told === 'most' ? 'least' : 'most']: null };
}

function claim(end: number, { least, most }: CountRange, only = {}): Claim {
  return { end, meaning: { minLength: least, maxLength: most, ...only } };
}
