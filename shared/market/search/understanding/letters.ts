import { STOP_WORDS } from '../language/text-analysis.ts';
import type { PhraseMeaning } from './interpretation.ts';
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
import { asSuffix, type QueryToken } from './query-tokens.ts';
import type { Claim, QueryContext } from './recognizer.ts';
import { isSaidOfName } from './wish-phrases.ts';

const UNIT = phrases(
  'letter, letters, lettered, char, chars, character, characters, ltr, ltrs, letter long, letters long, char long, chars long, character long, characters long, letters in length, characters in length, letters total, characters total, letters each, letters or characters, letters only',
);
const BETWEEN = phrases('between, from');
/** Bounds that can only be of lengths. */
const SHORTER = phrases('shorter than, not longer than, no longer than');
const LONGER = phrases('longer than, not shorter than, no shorter than');
const LENGTH = phrases(
  'length, length of, length is, length :, length =, name length, name length of, label length, long',
);
const MOST_LENGTH = phrases(
  'max length, max length of, maximum length, maximum length of, length max, length up to, max length :, length limit, length limit of',
);
const LEAST_LENGTH = phrases(
  'min length, min length of, minimum length, minimum length of, length min, min length :',
);
const WORDS = phrases('word, words');
const WORDS_OF = phrases('word of, words of, word with, words with');
const AND = phrases('and, but, to');

/** How long a name may be: "max 6 letters", "four letter", "between 4 and 6 characters", "LLLL". */
export function recognizeLength({ tokens }: QueryContext, at: number): Claim | undefined {
  return (
    readPattern(tokens, at) ??
    readLengthWord(tokens, at) ??
    readRange(tokens, at) ??
    readBound(tokens, at) ??
    readExact(tokens, at)
  );
}

/** What traders write for names of so many letters: `LLLL`, `LLLL.com`, `4L`. */
function readPattern(tokens: readonly QueryToken[], at: number): Claim | undefined {
  const { text = '' } = tokens[at] ?? {};
  const [, letters, suffix] = /^(L{2,6})(?:\.(\p{L}{2,}))?$/u.exec(text) ?? [];
  if (letters !== undefined) {
    const tld = suffix === undefined ? undefined : asSuffix(suffix);
    const tlds = tld === undefined ? [] : [tld];
    return { end: at + 1, meaning: { ...exactly(letters.length), ...LETTERS_ONLY, tlds } };
  }
  const [digits] = /^N{2,6}$/.exec(text) ?? [];
  // "NNN leases" and "2L bottles" are topics.
  if (digits !== undefined && isSaidOfName(tokens, at + 1)) {
    return { end: at + 1, meaning: { ...exactly(digits.length), onlyDigits: true } };
  }
  const [, count, sign] = /^([2-6])([LN])$/.exec(text) ?? [];
  if (count === undefined || !isSaidOfName(tokens, at + 1)) return undefined;
  const only = sign === 'L' ? LETTERS_ONLY : { onlyDigits: true };
  return { end: at + 1, meaning: { ...exactly(Number(count)), ...only } };
}

const LETTERS_ONLY = { noHyphens: true, noDigits: true } as const;

/** `max length 8`, `length of 5`, `length under 7`. */
function readLengthWord(tokens: readonly QueryToken[], at: number): Claim | undefined {
  const most = MOST_LENGTH.at(tokens, at) ?? SHORTER.at(tokens, at);
  const least = LEAST_LENGTH.at(tokens, at) ?? LONGER.at(tokens, at);
  const plain = tokens[at]?.word === 'long' ? undefined : LENGTH.at(tokens, at);
  const told = most ?? least ?? plain;
  if (!told) return undefined;
  const bounded = readBound(tokens, told.end, true) ?? readRange(tokens, told.end, true);
  if (bounded) return bounded;
  const count = countAt(tokens, told.end);
  if (!count) return undefined;
  const end = skip(UNIT, tokens, count.end);
  const isStrict = ['shorter', 'longer'].includes(tokens[at]?.word ?? '');
  if (most) return { end, meaning: atMost(count.value - (isStrict ? 1 : 0)) };
  if (least) return { end, meaning: atLeast(count.value + (isStrict ? 1 : 0)) };
  return { end, meaning: exactly(count.value) };
}

/** `between 4 and 6 letters`, `4-6 letters`, `4 or 5 letters`. */
function readRange(tokens: readonly QueryToken[], at: number, isTold = false): Claim | undefined {
  const low = countAt(tokens, skip(BETWEEN, tokens, at));
  if (!low) return undefined;
  const separator =
    RANGE.at(tokens, low.end)?.end ?? (tokens[low.end]?.hyphenated ? low.end : undefined);
  const high = separator === undefined ? undefined : countAt(tokens, separator);
  const unit = high && UNIT.at(tokens, high.end);
  if (!high || !(unit || isTold) || low.value > high.value) return undefined;
  return {
    end: unit?.end ?? high.end,
    meaning: { minLength: low.value, maxLength: high.value },
  };
}

const BOUNDS = [
  [AT_MOST, (count) => atMost(count)],
  [BELOW, (count) => atMost(count - 1)],
  [AT_LEAST, (count) => atLeast(count)],
  [ABOVE, (count) => atLeast(count + 1)],
  [AROUND, (count) => closeTo(count)],
] as const satisfies readonly (readonly [typeof AT_MOST, (count: number) => PhraseMeaning])[];

/** `at most five characters`, `under 6 letters`, `min 4 and max 6 letters`. */
function readBound(tokens: readonly QueryToken[], at: number, isTold = false): Claim | undefined {
  const first = boundAt(tokens, at);
  if (!first) return undefined;
  const second = boundAt(tokens, skip(AND, tokens, first.end));
  const unit = UNIT.at(tokens, first.end);
  if (second && !unit && areSides(first.meaning, second.meaning)) {
    const last = UNIT.at(tokens, second.end);
    if (last) return { end: last.end, meaning: { ...first.meaning, ...second.meaning } };
  }
  if (!unit) return isTold ? first : undefined;
  const other = boundAt(tokens, skip(AND, tokens, unit.end));
  // "max 6 letters under 50" speaks of money.
  if (!other || !areSides(first.meaning, other.meaning)) {
    return { end: unit.end, meaning: first.meaning };
  }
  return {
    end: skip(UNIT, tokens, other.end),
    meaning: { ...first.meaning, ...other.meaning },
  };
}

function areSides(one: PhraseMeaning, other: PhraseMeaning): boolean {
  return Object.keys(one).every((key) => !(key in other));
}

function boundAt(tokens: readonly QueryToken[], at: number): Claim | undefined {
  for (const [table, meaning] of BOUNDS) {
    const told = table.at(tokens, at);
    const count = told && countAt(tokens, told.end);
    if (count) return { end: count.end, meaning: meaning(count.value) };
  }
  return undefined;
}

/** `four letter`, `4-letter`, `5 letters or less`, `exactly 5`. */
function readExact(tokens: readonly QueryToken[], at: number): Claim | undefined {
  const led = EXACTLY.at(tokens, at)?.end ?? WORDS_OF.at(tokens, at)?.end;
  const count = countAt(tokens, led ?? at);
  if (!count) return undefined;
  const fewer = OR_LESS.at(tokens, count.end)?.end;
  const fewerUnit = fewer === undefined ? undefined : UNIT.at(tokens, fewer);
  if (fewerUnit) return { end: fewerUnit.end, meaning: atMost(count.value) };
  const plus = tokens[count.end];
  // "15+ characters"
  if (plus?.text === '+' && plus.glued) {
    const unitOfMore = UNIT.at(tokens, count.end + 1);
    return unitOfMore && { end: unitOfMore.end, meaning: atLeast(count.value) };
  }
  const unit = UNIT.at(tokens, count.end) ?? longAt(tokens, count.end);
  if (!unit) {
    const most = fewLettersAt(tokens, at, count);
    if (most) return most;
    const isLed = led !== undefined && /^(exactly|precisely)$/.test(tokens[at]?.word ?? '');
    return isLed && isBoundary(tokens, count.end)
      ? { end: count.end, meaning: exactly(count.value) }
      : undefined;
  }
  const exact = EXACTLY.at(tokens, unit.end);
  if (exact && isBoundary(tokens, exact.end)) {
    return { end: exact.end, meaning: exactly(count.value) };
  }
  const less = OR_LESS.at(tokens, unit.end)?.end;
  if (less !== undefined) return { end: less, meaning: atMost(count.value) };
  const more = OR_MORE.at(tokens, unit.end)?.end;
  if (more !== undefined) return { end: more, meaning: atLeast(count.value) };
  const words = WORDS.at(tokens, unit.end)?.end;
  if (words === undefined) return { end: unit.end, meaning: exactly(count.value) };
  // A game of five letter words is about words.
  const next = tokens[words];
  return next === undefined || next.kind !== 'word' || STOP_WORDS.has(next.word)
    ? { end: words, meaning: exactly(count.value) }
    : undefined;
}

/** `5 long`, where nothing follows that is so long. */
function longAt(tokens: readonly QueryToken[], at: number): { end: number } | undefined {
  return tokens[at]?.word === 'long' && isBoundary(tokens, at + 1) ? { end: at + 1 } : undefined;
}

/** So few can only be letters: `six max`. */
const FEW = { from: 3, to: 12 } as const;

function fewLettersAt(
  tokens: readonly QueryToken[],
  at: number,
  count: { end: number; value: number },
): Claim | undefined {
  const less = OR_LESS.at(tokens, count.end);
  const isFree = at === 0 || isBoundary(tokens, at - 1);
  if (
    !less ||
    !isFree ||
    !isBoundary(tokens, less.end) ||
    count.value < FEW.from ||
    count.value > FEW.to
  )
    return undefined;
  return { end: less.end, meaning: atMost(count.value) };
}

const exactly = (count: number): PhraseMeaning => ({ minLength: count, maxLength: count });
const atMost = (count: number): PhraseMeaning => ({ maxLength: Math.max(1, count) });
const atLeast = (count: number): PhraseMeaning => ({ minLength: count });
const closeTo = (count: number): PhraseMeaning => ({
  minLength: Math.max(1, count - 1),
  maxLength: count + 1,
});
