import { STOP_WORDS, wordsOf } from '../language/text-analysis.ts';
import { combineLimits, NO_LIMITS, type PhraseMeaning } from './interpretation.ts';
import { patternOfSides } from './letter-patterns.ts';
import { EDGES, INSIDE, signsAt, WITH } from './patterns.ts';
import { phraseLists, phrases, skip } from './phrase-table.ts';
import type { QueryToken } from './query-tokens.ts';
import type { Claim, QueryContext } from './recognizer.ts';

import { suffixListAt } from './suffixes.ts';
import { isOfName } from './wish-phrases.ts';

type Side = 'startsWith' | 'endsWith' | 'contains';

const SIDES = phraseLists<Side>([
  ...EDGES,
  [
    `prefix, with prefix, with the prefix, the prefix, prefixed with, prefixed by, first letter, first letter is, the first letter is,
    first word is, first word should be, the first word should be, first part is, first part should be, the first part should be`,
    'startsWith',
  ],
  [
    `suffix, with suffix, with the suffix, the suffix, suffixed with, last letter, last letter is, the last letter is, last word is, last word should be,
    the last word should be, last part is, last part should be, the last part is, the last part should be`,
    'endsWith',
  ],
  [
    `containing, contains, contain, that contains, that contain, which contains, including, includes, must include, must contain, should contain,
    should include, with the word, with the words, with the letters, with the letter, with the string, has the word, have the word,
    having the word, includes the word, including the word, using the word, uses the word, featuring the word`,
    'contains',
  ],
]);
/** Phrases after "with" and a piece: "with neo as prefix". */
const SIDES_AFTER = phraseLists<Side>([
  [
    'as prefix, as a prefix, as the prefix, at the start, at the beginning, in front, first',
    'startsWith',
  ],
  ['as suffix, as a suffix, as the suffix, at the end', 'endsWith'],
]);
const IN_NAME = phrases(
  'in the name, in its name, in the domain, in the domain name, somewhere in the name, anywhere in the name',
);
const ARTICLE = phrases(
  'the letter, the letters, a letter, letter, letters, the word, the words, a word, word, the string, the term, term, the, :, =',
);
const AND = phrases('and, plus, &, ,');
/** Articles: before a letter, digit or quoted piece, "a" is not a piece itself. */
const INDEFINITE = phrases('a, an');
const ENDING = phrases('ending, endings, at the end');
const NOT = phrases(
  `not, doesnt, dont, does not, do not, dont want, do not want, may not, must not, should not, shouldnt, cant, cannot, can not, mustnt, never, that doesnt, that dont,
   which doesnt, that does not, name may not, name must not, but not, and not, no names, no domains, nothing, no, avoid, except, without, wont, not be, isnt, arent`,
);

const ANYTHING = phrases('anything, any name, any names, a name, names, one, ones');

const QUOTE = /^["'“”‘’„«»`*]$/u;

/** Words in the place of a piece that are not one: "doesn't start with or end in". */
const NO_PIECES = new Set(['and', 'or', 'anywhere', 'somewhere']);
const OR = phrases('or, nor');

function said(side: Side, values: readonly string[]): PhraseMeaning {
  if (side === 'contains') return { contains: values };
  if (values.length === 1) return { [side]: values[0] };
  return { patterns: [patternOfSides(values, side === 'startsWith')] };
}

/** Recognizes what names must begin with, end with or contain. */
export function recognizeAffixes({ tokens }: QueryContext, at: number): Claim | undefined {
  return (
    readNot(tokens, at) ??
    readAfter(tokens, at) ??
    readEnding(tokens, at) ??
    readAround(tokens, at) ??
    readInName(tokens, at)
  );
}

/** `ending in ly`, `containing pay`, `starts with a or b`, `contains x, q and v`: only letters may follow. */
function readAfter(tokens: readonly QueryToken[], at: number): Claim | undefined {
  const side = SIDES.at(tokens, at);
  if (!side) return undefined;
  const sign = signsAt(tokens, side.end);
  if (sign) return { ...sign, end: skip(INSIDE, tokens, sign.end) };
  const values: string[] = [];
  let end = side.end;
  for (let text = pieceAt(tokens, end); text; ) {
    values.push(text.value);
    ({ end } = text);
    const next = (side.value === 'contains' ? AND : OR).at(tokens, end);
    text = next && pieceAt(tokens, skip(AND, tokens, next.end));
    const goesOn =
      text &&
      (side.value === 'contains'
        ? Array.from(text.value).length === 1
        : isOfName(tokens, text.end) && !isClauseAt(tokens, next?.end ?? end));
    if (!goesOn || values.length === MOST_LEFT_OUT) break;
  }
  if (values.length === 0) return undefined;
  return { end: skip(INSIDE, tokens, end), meaning: said(side.value, values) };
}

/** Longer lists are not lists of excluded pieces. */
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

/** After a negation: `ending in ly or ify`, `ending in .io`, `anything with my in front`. */
function leftOutAt(tokens: readonly QueryToken[], at: number): Claim | undefined {
  const around = readAround(tokens, skip(ANYTHING, tokens, at));
  if (around?.meaning.startsWith) {
    return { end: around.end, meaning: { notStartsWith: [around.meaning.startsWith] } };
  }
  if (around?.meaning.endsWith) {
    return { end: around.end, meaning: { notEndsWith: [around.meaning.endsWith] } };
  }
  const told = SIDES.at(tokens, at);
  if (!told || told.value === 'contains') return undefined;
  const isStart = told.value === 'startsWith';
  const suffixes = isStart ? undefined : suffixListAt(tokens, told.end);
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
  return { end, meaning: isStart ? { notStartsWith: values } : { notEndsWith: values } };
}

/** Returns whether another clause begins here instead of a further piece. */
function isClauseAt(tokens: readonly QueryToken[], at: number): boolean {
  return (
    SIDES.at(tokens, at) !== undefined ||
    NOT.at(tokens, at) !== undefined ||
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
  const inside = INSIDE.at(tokens, text.end);
  const side = inside
    ? { end: inside.end, value: 'contains' as const }
    : SIDES_AFTER.at(tokens, text.end);
  return side && { end: side.end, meaning: said(side.value, [text.value]) };
}

/** `green in the name` */
function readInName(tokens: readonly QueryToken[], at: number): Claim | undefined {
  if (STOP_WORDS.has(tokens[at]?.word ?? '')) return undefined;
  const text = textAt(tokens, at);
  const after = text && IN_NAME.at(tokens, text.end);
  return after && { end: after.end, meaning: { contains: [text.value] } };
}

/** Returns the piece of a name at `at`, after any article. */
function pieceAt(
  tokens: readonly QueryToken[],
  at: number,
): { end: number; value: string } | undefined {
  const start = skip(ARTICLE, tokens, at);
  const bare = INDEFINITE.at(tokens, start);
  const next = bare && tokens[bare.end];
  const isLetter = next?.word.length === 1 && next.kind !== 'sign';
  const isArticle = next && (QUOTE.test(next.text) || next.kind === 'number' || isLetter);
  return textAt(tokens, isArticle ? bare.end : start);
}

/** Returns the word or quoted text at `at`, folded like labels. */
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
  // "-ly" and "x-" include their hyphens.
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
