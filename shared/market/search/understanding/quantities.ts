import { phrases, phraseTable } from './phrase-table.ts';
import type { QueryToken } from './query-tokens.ts';

/** Words for small numbers. */
export const NUMBER_WORDS = phraseTable<number>(
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen'
    .split(' ')
    .map((word, at) => [word, at + 1] as const),
);

/** Words before a number that make it the most there may be. */
export const AT_MOST = phrases(
  `max, max ., maximum, nothing over, nothing above, nothing more than, nothing beyond, max of, maximum of, a maximum of, a max of, at most, at the most, up to, upto, no more than, not more than,
   not over, not above, not exceeding, no longer than, not longer than, no higher than, not to exceed, within, <=, < =, ≤, limit,
   limit of, capped at, cap of`,
);
/** The number itself is too much, where that matters. */
export const BELOW = phrases(
  `under, below, less than, lower than, fewer than, cheaper than, less expensive than, shorter than, smaller than, beneath, sub, <`,
);
export const AT_LEAST = phrases(
  `min, min ., minimum, nothing under, nothing below, nothing less than, min of, minimum of, a minimum of, at least, at the least, no less than, not less than, no fewer than,
   not under, not below, no shorter than, not shorter than, starting at, starting from, upwards of, >=, > =, ≥`,
);
/** The number itself is too little, where that matters. */
export const ABOVE = phrases(
  `over, above, more than, greater than, higher than, longer than, bigger than, >, exceeding, more expensive than`,
);
export const AROUND = phrases(
  `around, about, approximately, approx, roughly, circa, ca, ~, close to, near, somewhere around, in the region of, or so`,
);
/** Words after a number. */
export const OR_LESS = phrases(
  `or less, or fewer, or under, or below, or cheaper, or shorter, and under, and below, and less, max, maximum, tops,
   at most, at the most, or lower, limit`,
);
export const OR_MORE = phrases(
  `or more, or over, or above, or longer, or higher, and up, and over, and above, and more, and upwards, min, minimum,
   at least, plus, +`,
);
/** Between the two numbers of a range. */
export const TO = phrases('to, till, until, through, -, –, —');

/** Whether nothing more of the sentence follows. */
export function isBoundary(tokens: readonly QueryToken[], at: number): boolean {
  const token = tokens[at];
  return token === undefined || (token.kind === 'sign' && /[,.;:!?()|/"“”]/u.test(token.text));
}
