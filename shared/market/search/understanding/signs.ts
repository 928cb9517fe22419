import { phrases } from './phrase-table.ts';
import { isBoundary } from './quantities.ts';
import type { QueryToken } from './query-tokens.ts';
import type { Claim, QueryContext } from './recognizer.ts';
import { isSaidOfName, NAME_NOUNS } from './wish-phrases.ts';

/** Ends what they begin: "with yoga in it". */
export const WITH = phrases(
  'with, w /, has, have, having, must have, should have, that has, that have',
);
export const INSIDE = phrases(
  'in it, in the name, in them, in its name, in the domain, in the domain name, in there, inside, inside it, somewhere in it, somewhere in the name, somewhere, anywhere, anywhere in it, anywhere in the name',
);

/** What is said of a name's digits and hyphens as of its letters: "ends in a number", "with a hyphen". */
const DIGIT = phrases(
  'number, numbers, a number, digit, digits, a digit, numeral, numerals, some numbers, some digits, any number, any digit',
);
const HYPHEN = phrases('hyphen, hyphens, a hyphen, dash, dashes, a dash');
const KEYWORD = phrases('keyword, keywords, the keyword, the keywords');
const HYPHENATED = phrases('hyphenated');
const DIGITS_ONLY = phrases(
  `all digits, digits only, only digits, all numbers, numbers only, only numbers, numeric only, only numeric, purely numeric, all numeric, just numbers,
   just digits, nothing but digits, nothing but numbers, number only`,
);

/** `hyphenated names`, `digits only`, `with a number in it`. */
export function recognizeSigns({ tokens }: QueryContext, at: number): Claim | undefined {
  const digits = DIGITS_ONLY.at(tokens, at);
  if (digits && isSaidOfName(tokens, digits.end)) {
    return { end: digits.end, meaning: { onlyDigits: true } };
  }
  const hyphenated = HYPHENATED.at(tokens, at);
  if (hyphenated && isSaidOfName(tokens, hyphenated.end)) {
    return { end: hyphenated.end, meaning: { withHyphens: true } };
  }
  const told = WITH.at(tokens, at);
  const sign = told && signsAt(tokens, told.end);
  if (!sign) return undefined;
  const inside = INSIDE.at(tokens, sign.end);
  // "painting with numbers" is a topic.
  const isItsOwn =
    sign.meaning.withHyphens ||
    at === 0 ||
    isBoundary(tokens, at - 1) ||
    NAME_NOUNS.at(tokens, at - 1);
  if (!inside && !(isItsOwn && isBoundary(tokens, sign.end))) return undefined;
  return { ...sign, end: inside?.end ?? sign.end };
}

/** Digits, hyphens or keywords that are told at `at`. */
export function signsAt(tokens: readonly QueryToken[], at: number): Claim | undefined {
  const digits = DIGIT.at(tokens, at);
  if (digits) return { end: digits.end, meaning: { withDigits: true } };
  const hyphens = HYPHEN.at(tokens, at);
  if (hyphens) return { end: hyphens.end, meaning: { withHyphens: true } };
  const keyword = KEYWORD.at(tokens, at);
  return keyword && { end: keyword.end, meaning: { wishes: ['descriptive'] } };
}
