import { STOP_WORDS, wordsOf } from '../language/text-analysis.ts';
import type { PhraseMeaning } from './interpretation.ts';
import { phrases, skip } from './phrase-table.ts';
import type { QueryToken } from './query-tokens.ts';
import type { Claim, QueryContext } from './recognizer.ts';

const STARTS = phrases(
  `starting with, starts with, start with, beginning with, begins with, begin with, that starts with, that start with, which starts with,
   starting in, starts in, prefix, with prefix, with the prefix, the prefix, prefixed with, prefixed by, first letter, first letter is, the first letter is`,
);
const ENDS = phrases(
  `ending in, ending with, ends in, ends with, end in, end with, ending on, finishing in, finishing with, finishes with, that ends with,
   that end with, that ends in, that end in, suffix, with suffix, with the suffix, the suffix, suffixed with, last letter, last letter is, the last letter is`,
);
const CONTAINS = phrases(
  `containing, contains, contain, that contains, that contain, which contains, including, includes, must include, must contain, should contain,
   should include, with the word, with the words, with the letters, with the letter, with the string, has the word, have the word,
   having the word, includes the word, including the word, using the word, uses the word, featuring the word`,
);
/** Ends what they begin: "with yoga in it". */
const WITH = phrases('with, has, have, having, must have, should have, that has, that have');
const INSIDE = phrases(
  'in it, in the name, in them, in its name, in the domain, in the domain name, in there, inside, inside it, somewhere in it, somewhere',
);
const IN_NAME = phrases('in the name, in its name, in the domain, in the domain name');
const ARTICLE = phrases(
  'the letter, the letters, a letter, letter, letters, the word, the words, a word, word, the string, the term, term, the, :, =',
);
const AS_PREFIX = phrases(
  'as prefix, as a prefix, as the prefix, at the start, at the beginning, in front, first',
);
const AS_SUFFIX = phrases('as suffix, as a suffix, as the suffix, at the end');

const QUOTE = /^["'“”‘’„«»`*]$/u;

/** What labels have to begin with, end with or contain. */
export function recognizeAffixes({ tokens }: QueryContext, at: number): Claim | undefined {
  return (
    readAfter(tokens, STARTS, at, (text) => ({ startsWith: text })) ??
    readAfter(tokens, ENDS, at, (text) => ({ endsWith: text })) ??
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
  const text = told && textAt(tokens, skip(ARTICLE, tokens, told.end));
  return text && { end: skip(INSIDE, tokens, text.end), meaning: meaning(text.value) };
}

/** `with yoga in it`, `with neo as prefix`. */
function readAround(tokens: readonly QueryToken[], at: number): Claim | undefined {
  const told = WITH.at(tokens, at);
  const text = told && textAt(tokens, skip(ARTICLE, tokens, told.end));
  if (!text) return undefined;
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
  const value = folded([token]);
  if (value === '') return undefined;
  end += 1;
  const dash = tokens[end];
  return { end: dash?.text === '-' && dash.glued ? end + 1 : end, value };
}

function folded(tokens: readonly QueryToken[]): string {
  return tokens.flatMap(({ text }) => wordsOf(text)).join('');
}
