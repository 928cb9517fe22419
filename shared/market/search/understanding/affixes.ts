import { STOP_WORDS, wordsOf } from '../language/text-analysis.ts';
import { combineLimits, NO_LIMITS, type PhraseMeaning } from './interpretation.ts';
import { phrases, skip } from './phrase-table.ts';
import type { QueryToken } from './query-tokens.ts';
import type { Claim, QueryContext } from './recognizer.ts';
import { INSIDE, signsAt, WITH } from './signs.ts';
import { suffixListAt } from './suffixes.ts';

const STARTS = phrases(
  `starting with, starts with, start with, beginning with, begins with, begin with, that starts with, that start with, which starts with,
   starting in, starts in, prefix, with prefix, with the prefix, the prefix, prefixed with, prefixed by, the first word should be, the first part should be, first letter, first letter is, the first letter is,
   first word is, first word should be, first part is, first part should be`,
);
const ENDS = phrases(
  `ending in, ending with, ends in, ends with, end in, end with, ending on, finishing in, finishing with, finishes with, that ends with,
   that end with, that ends in, that end in, suffix, with suffix, with the suffix, the suffix, suffixed with, last letter, last letter is, the last letter is,
   last word is, last word should be, last part is, last part should be, the last part is, the last part should be, the last word should be`,
);
const CONTAINS = phrases(
  `containing, contains, contain, that contains, that contain, which contains, including, includes, must include, must contain, should contain,
   should include, with the word, with the words, with the letters, with the letter, with the string, has the word, have the word,
   having the word, includes the word, including the word, using the word, uses the word, featuring the word`,
);
const IN_NAME = phrases(
  'in the name, in its name, in the domain, in the domain name, somewhere in the name, anywhere in the name',
);
const ARTICLE = phrases(
  'the letter, the letters, a letter, letter, letters, the word, the words, a word, word, the string, the term, term, the, :, =',
);
const AS_PREFIX = phrases(
  'as prefix, as a prefix, as the prefix, at the start, at the beginning, in front, first',
);
const AS_SUFFIX = phrases('as suffix, as a suffix, as the suffix, at the end');

const AND = phrases('and, plus, &, ,');
/** A letter, digit or quoted piece after it is no "a". */
const INDEFINITE = phrases('a, an');
const ENDING = phrases('ending, endings, at the end');
const NOT = phrases(
  `not, doesnt, dont, does not, do not, may not, must not, should not, shouldnt, cant, cannot, can not, mustnt, never, that doesnt, that dont,
   which doesnt, that does not, name may not, name must not, but not, and not, no names, no domains, nothing, no, avoid, except, without, wont, not be, isnt, arent`,
);

const QUOTE = /^["'“”‘’„«»`*]$/u;

/** What stands where a piece of a name could, and is none: "doesn't start with or end in". */
const NO_PIECES = new Set(['and', 'or', 'anywhere', 'somewhere']);
const OR = phrases('or, nor');

/** What labels have to begin with, end with or contain. */
export function recognizeAffixes({ tokens }: QueryContext, at: number): Claim | undefined {
  return (
    readNot(tokens, at) ??
    readAfter(tokens, STARTS, at, (text) => ({ startsWith: text })) ??
    readAfter(tokens, ENDS, at, (text) => ({ endsWith: text })) ??
    readEnding(tokens, at) ??
    readAfter(tokens, CONTAINS, at, (text) => ({ contains: [text] })) ??
    readAround(tokens, at) ??
    readInName(tokens, at)
  );
}

function readAfter(
  tokens: readonly QueryToken[],
  table: typeof STARTS,
  at: number,
  meaning: (text: string) => PhraseMeaning,
): Claim | undefined {
  const told = table.at(tokens, at);
  if (!told) return undefined;
  const sign = signsAt(tokens, told.end);
  if (sign) return { ...sign, end: skip(INSIDE, tokens, sign.end) };
  const text = pieceAt(tokens, told.end);
  return text && { end: skip(INSIDE, tokens, text.end), meaning: meaning(text.value) };
}

/** More pieces are no list of what to leave out. */
const MOST_LEFT_OUT = 8;

/** `doesn't start with my`, `not ending in ly or ify`, `not starting with a or ending in b`. */
function readNot(tokens: readonly QueryToken[], at: number): Claim | undefined {
  const not = NOT.at(tokens, at);
  let meaning = NO_LIMITS;
  let end: number | undefined;
  for (let start = not?.end; start !== undefined; ) {
    const list = leftOutAt(tokens, start);
    if (!list) break;
    meaning = combineLimits(meaning, list.meaning);
    ({ end } = list);
    const next = OR.at(tokens, end)?.end;
    start = next === undefined ? undefined : skip(NOT, tokens, next);
  }
  return end === undefined ? undefined : { end, meaning };
}

/** `ending in ly or ify`, `ending in .io`, of what is left out. */
function leftOutAt(tokens: readonly QueryToken[], at: number): Claim | undefined {
  const starts = STARTS.at(tokens, at);
  const told = starts ?? ENDS.at(tokens, at);
  if (!told) return undefined;
  const suffixes = starts ? undefined : suffixListAt(tokens, told.end);
  if (suffixes) return { end: suffixes.end, meaning: { excludedTlds: suffixes.tlds } };
  const sign = signsAt(tokens, told.end);
  if (sign) {
    const { withDigits = false, withHyphens = false } = sign.meaning;
    return { end: sign.end, meaning: { noDigits: withDigits, noHyphens: withHyphens } };
  }
  const values: string[] = [];
  let end = told.end;
  for (let next: number | undefined = end; next !== undefined; next = OR.at(tokens, end)?.end) {
    const isClause = values.length > 0 && isClauseAt(tokens, next);
    const text = isClause ? undefined : pieceAt(tokens, next);
    if (!text || values.length === MOST_LEFT_OUT) break;
    values.push(text.value);
    ({ end } = text);
  }
  if (values.length === 0) return undefined;
  return { end, meaning: starts ? { notStartsWith: values } : { notEndsWith: values } };
}

/** Whether another clause begins here, and no further piece. */
function isClauseAt(tokens: readonly QueryToken[], at: number): boolean {
  return (
    [STARTS, ENDS, NOT].some((table) => table.at(tokens, at)) ||
    STOP_WORDS.has(tokens[at]?.word ?? '')
  );
}

/** `-ster ending` */
function readEnding(tokens: readonly QueryToken[], at: number): Claim | undefined {
  const [dash, word] = [tokens[at], tokens[at + 1]];
  if (dash?.text !== '-' || !word?.glued || word.kind !== 'word') return undefined;
  const ending = ENDING.at(tokens, at + 2);
  return ending && { end: ending.end, meaning: { endsWith: folded([word]) } };
}

/** `with yoga in it`, `with neo as prefix`. */
function readAround(tokens: readonly QueryToken[], at: number): Claim | undefined {
  const told = WITH.at(tokens, at);
  const text = told && pieceAt(tokens, told.end);
  if (!text) return undefined;
  const and = AND.at(tokens, text.end);
  const other = and && pieceAt(tokens, and.end);
  const both = other && INSIDE.at(tokens, other.end);
  if (both) return { end: both.end, meaning: { contains: [text.value, other.value] } };
  for (const [table, meaning] of [
    [INSIDE, { contains: [text.value] }],
    [AS_PREFIX, { startsWith: text.value }],
    [AS_SUFFIX, { endsWith: text.value }],
  ] as const) {
    const after = table.at(tokens, text.end);
    if (after) return { end: after.end, meaning };
  }
  return undefined;
}

/** `green in the name` */
function readInName(tokens: readonly QueryToken[], at: number): Claim | undefined {
  if (STOP_WORDS.has(tokens[at]?.word ?? '')) return undefined;
  const text = textAt(tokens, at);
  const after = text && IN_NAME.at(tokens, text.end);
  return after && { end: after.end, meaning: { contains: [text.value] } };
}

/** The piece of a name that is told at `at`, behind its article. */
function pieceAt(
  tokens: readonly QueryToken[],
  at: number,
): { end: number; value: string } | undefined {
  const start = skip(ARTICLE, tokens, at);
  const bare = INDEFINITE.at(tokens, start);
  const next = bare && tokens[bare.end];
  const isArticle = next && (QUOTE.test(next.text) || next.kind === 'number');
  return textAt(tokens, isArticle ? bare.end : start);
}

/** The word at `at`, or what stands in quotes there, folded as labels are. */
function textAt(
  tokens: readonly QueryToken[],
  at: number,
): { end: number; value: string } | undefined {
  let end = at;
  if (QUOTE.test(tokens[at]?.text ?? '')) {
    end += 1;
    while (end < tokens.length && !QUOTE.test(tokens[end]?.text ?? '')) end += 1;
    const quoted = tokens.slice(at + 1, end);
    const value = folded(quoted);
    return value === '' ? undefined : { end: Math.min(end + 1, tokens.length), value };
  }
  // "-ly" and "x-" are written with their hyphens.
  if (tokens[end]?.text === '-') end += 1;
  const token = tokens[end];
  if (!token || token.kind === 'sign' || token.kind === 'suffix') return undefined;
  if (NO_PIECES.has(token.word)) return undefined;
  const value = folded([token]);
  if (value === '') return undefined;
  end += 1;
  const dash = tokens[end];
  return { end: dash?.text === '-' && dash.glued ? end + 1 : end, value };
}

function folded(tokens: readonly QueryToken[]): string {
  return tokens.flatMap(({ text }) => wordsOf(text)).join('');
}
