import { MAX_LABEL_LENGTH } from '../../names/domain-name.ts';
import { type PhraseTable, phrases, phraseTable, skip } from './phrase-table.ts';
import type { QueryToken } from './query-tokens.ts';

/** Words for small numbers. */
export const NUMBER_WORDS = phraseTable<number>(
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
    .split(' ')
    .map((word, at) => [word, at + 1] as const),
);

/** Longer phrases for an upper bound: "can't pay more than", "don't want to go over". */
const REFUSED = [
  'cant',
  'cannot',
  'can not',
  'dont want to',
  'do not want to',
  'wont',
  'will not',
  'dont wanna',
]
  .flatMap((not) => ['pay', 'spend', 'go', 'give', 'afford'].map((verb) => `${not} ${verb}`))
  .flatMap((said) => ['more than', 'over', 'above', 'beyond'].map((bound) => `${said} ${bound}`));

/** Words that make the number after them an upper bound. */
export const AT_MOST = phrases(
  `${REFUSED.join(', ')}, 不超过, 最多, 最高, 最大, max, max ., maximum, nothing over, nothing above, nothing more than, nothing beyond, max of, maximum of, a maximum of, a max of, at most, at the most, up to, upto, no more than, not more than,
   not over, not above, not exceeding, no longer than, not longer than, no higher than, not to exceed, must not exceed, cant exceed, no pricier than, no dearer than, no costlier than, nothing pricier than, never more than, go up to, pay up to, spend up to, go as high as, as much as, stretch to, ceiling, ceiling of, ceiling is, cap is, max is, limit is, jusqua, jusqu à, bis, bis zu, hasta, fino a, até, tot, höchstens, maximal, massimo, máximo, maximaal, до, within, <=, < =, ≤, limit,
   limit of, capped at, cap of`,
);
/** Strict upper bound: the number itself does not qualify. */
export const BELOW = phrases(
  `低于, 少于, under, below, less than, lower than, fewer than, cheaper than, less expensive than, shorter than, smaller than, beneath, sub, <, unter, weniger als, menos de, bajo, por menos de, moins de, sous, meno di, sotto, abaixo de, onder, minder dan, дешевле, меньше, ниже, менее`,
);
export const AT_LEAST = phrases(
  `至少, 最低, min, min ., minimum, nothing under, nothing below, nothing less than, min of, minimum of, a minimum of, at least, at the least, no less than, not less than, no fewer than,
   not under, not below, no shorter than, not shorter than, starting at, starting from, upwards of, >=, > =, ≥, mindestens, ab, al menos, desde, au moins, almeno, pelo menos, minstens`,
);
/** Strict lower bound: the number itself does not qualify. */
export const ABOVE = phrases(
  `高于, 超过, over, above, more than, greater than, higher than, longer than, bigger than, >, exceeding, more expensive than, über, mehr als, más de, plus de, più di, mais de, meer dan, больше, дороже, более`,
);
export const AROUND = phrases(
  `around, about, approximately, approx, roughly, circa, ca, ~, close to, near, somewhere around, in the region of, environ, circa, etwa, ungefähr, unos, alrededor de, около`,
);
/** Words after a number. */
export const OR_LESS = phrases(
  `以下, 以内, 未満, 未满, まで, or less, or fewer, or under, or below, or cheaper, or shorter, and under, and below, and less, max, maximum, tops,
   at most, at the most, or lower, limit, is my limit, is my max, is my maximum, is the limit, is the max, is the most i can pay, is all i have, is all ive got, is all i can spend, is my budget`,
);
export const OR_MORE = phrases(
  `以上, or more, or over, or above, or longer, or higher, and up, and over, and above, and more, and upwards, min, minimum,
   at least, plus, +, upward`,
);
export const OR_SO = phrases('or so, 左右, 前後, くらい, ぐらい, 程度');
/** Between the two numbers of a range. */
export const TO = phrases('to, till, until, through, -, –, —, ~, から, 到, 至');

/** Words for tens. */
export const TENS = phraseTable<number>(
  'twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, at) => [word, 10 * (at + 2)] as const),
);

const DIGIT = '[\\d０-９]';
const HAN_NUMBER = '[一二两三四五六七八九十百千]+';
/** What Chinese and Japanese count in a query. */
const UNIT = '米?ドル|美[元金]|欧元|ユーロ|[円元]|日元|人民币|[个個位]?(?:文字|字母|数字)';
/** The words before and after such an amount, and those that say nothing about it: "of", "domain". */
const BOUND =
  '以[下内上]|未[満满]|まで|から|[到至~-]|左右|前後|[くぐ]らい|程度|不超过|最[多高大低]|[低少高]于|超过|至少|[预予]算|[价価]格';
const BESIDE = '[の的]|ドメイン名?|域名';
const PIECE = `${DIGIT}(?:${DIGIT}|[,.])*|(?<!${DIGIT})${HAN_NUMBER}|[万萬千]|${UNIT}|${BOUND}|${BESIDE}`;
const PIECES = new RegExp(PIECE, 'g');
const RUN = new RegExp(`(?:${PIECE})(?:\\s*(?:${PIECE}))+`, 'g');
/** A number with its unit. A number in words has a sign for tens, hundreds or thousands, except of letters. */
const COUNTED = new RegExp(
  `(?:[\\d０-９十百千]|${HAN_NUMBER}(?=[万萬]|.?(?:文字|字母|数字)))[万萬千]?\\s*(?:${UNIT})`,
);
const SAID = new RegExp(`${BOUND}|${BESIDE}`);

/**
 * Puts spaces around the words of Chinese and Japanese amounts, with numbers in digits: `五百美元以下`. An amount that only
 * begins a word stays: `百円ショップ`.
 */
export function spaceAmounts(text: string): string {
  return text.replace(RUN, (run, at: number) => {
    const isOfWord = !SAID.test(run) && /^\p{L}/u.test(text.slice(at + run.length));
    if (isOfWord || !COUNTED.test(run)) return run;
    const words = (run.match(PIECES) ?? []).filter(
      (piece) => !RegExp(`^(?:${BESIDE})$`).test(piece),
    );
    return ` ${words.map(inDigits).join(' ')} `;
  });
}

/** `五百` is 500. */
function inDigits(word: string): string {
  if (!RegExp(`^${HAN_NUMBER}$`).test(word) || word === '千') return word.normalize('NFKC');
  let sum = 0;
  let digit = 0;
  for (const sign of word.replace('两', '二')) {
    const unit = 10 ** (1 + '十百千'.indexOf(sign));
    if (unit > 1) [sum, digit] = [sum + (digit || 1) * unit, 0];
    else digit = 1 + '一二三四五六七八九'.indexOf(sign);
  }
  return String(sum + digit);
}

/** Returns whether the clause or the query ends here. */
export function isBoundary(tokens: readonly QueryToken[], at: number): boolean {
  const token = tokens[at];
  return token === undefined || (token.kind === 'sign' && /[,.;:!?()|/"“”]/u.test(token.text));
}

/** Words before an exact number. */
export const EXACTLY = phrases('exactly, precisely, just, only');
/** Words between the ends of a range. */
const RANGE = phrases('to, till, until, through, -, –, —, or, and');

/** Returns a count of letters or words, in digits or words: a whole number that is possible for a label. */
export function countAt(
  tokens: readonly QueryToken[],
  at: number,
): { end: number; value: number } | undefined {
  const token = tokens[at];
  if (token?.kind !== 'number') return NUMBER_WORDS.at(tokens, at);
  const { value, scaled } = token;
  return Number.isInteger(value) && value >= 1 && value <= MAX_LABEL_LENGTH && !scaled
    ? { end: at + 1, value }
    : undefined;
}

const BETWEEN = phrases('between, from');
const AND = phrases('and, but, to');
/** The range that each bound makes of its number. */
const BOUNDS = [
  [AT_MOST, (count) => [null, count]],
  [BELOW, (count) => [null, Math.max(1, count - 1)]],
  [AT_LEAST, (count) => [count, null]],
  [ABOVE, (count) => [count + 1, null]],
  [AROUND, (count) => [Math.max(1, count - 1), count + 1]],
] as const satisfies readonly (readonly [
  PhraseTable<true>,
  (count: number) => readonly [least: number | null, most: number | null],
])[];

/** A range for the number of letters or words. Null if a bound was not given. */
export interface CountRange {
  end: number;
  least: number | null;
  most: number | null;
  /** The bound follows the number: `six max`. */
  isAfter?: boolean;
}

/** `4-6`, `between 4 and 6`, `at most five`, `min 4 and max 6`, `exactly 5`, `5 or fewer`, `15+`. */
export function rangeAt(tokens: readonly QueryToken[], at: number): CountRange | undefined {
  const low = countAt(tokens, skip(BETWEEN, tokens, at));
  const separator =
    low && (RANGE.at(tokens, low.end)?.end ?? (tokens[low.end]?.hyphenated ? low.end : undefined));
  const high = separator === undefined ? undefined : countAt(tokens, separator);
  if (low && high && low.value <= high.value) {
    return { end: high.end, least: low.value, most: high.value };
  }
  const bound = boundAt(tokens, at);
  if (bound) return otherBoundAt(tokens, bound) ?? bound;
  const count = countAt(tokens, skip(EXACTLY, tokens, at));
  const exact = count && { end: count.end, least: count.value, most: count.value };
  return exact && (orLessAt(tokens, exact) ?? exact);
}

function boundAt(tokens: readonly QueryToken[], at: number): CountRange | undefined {
  for (const [table, bounds] of BOUNDS) {
    const told = table.at(tokens, at);
    const count = told && countAt(tokens, told.end);
    if (!count) continue;
    const [least, most] = bounds(count.value);
    return { end: count.end, least, most };
  }
  return undefined;
}

/** `and at most 6`, after `at least 4`. */
export function otherBoundAt(
  tokens: readonly QueryToken[],
  { end, least, most }: CountRange,
): CountRange | undefined {
  const other = boundAt(tokens, skip(AND, tokens, end));
  if (
    !other ||
    (least === null) === (other.least === null) ||
    (most === null) === (other.most === null)
  )
    return undefined;
  return { end: other.end, least: least ?? other.least, most: most ?? other.most };
}

/** `or less` and `or more`, after one number. */
export function orLessAt(
  tokens: readonly QueryToken[],
  { end, least, most }: CountRange,
): CountRange | undefined {
  if (least !== most) return undefined;
  const less = OR_LESS.at(tokens, end);
  if (less) return { end: less.end, least: null, most, isAfter: true };
  const more = OR_MORE.at(tokens, end);
  const isMore = more && (tokens[end]?.text !== '+' || tokens[end]?.glued);
  return isMore ? { end: more.end, least, most: null, isAfter: true } : undefined;
}
