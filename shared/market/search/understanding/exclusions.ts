import { isPlace } from '../language/lexicon.ts';
import { foldText, STOP_WORDS } from '../language/text-analysis.ts';
import { combineLimits, hasLimits, NO_LIMITS, type PhraseMeaning } from './interpretation.ts';
import { phrases, skip } from './phrase-table.ts';
import { isBoundary } from './quantities.ts';
import type { QueryToken } from './query-tokens.ts';
import type { Claim, QueryContext, Recognizer } from './recognizer.ts';
import { suffixListAt } from './suffixes.ts';

/** Negates what follows, anywhere in a query. */
const ALWAYS = phrases(
  `any tld but, any tld except, any extension but, any extension except, any domain but, any domain except, everything but, everything except, all but, anything other than,
   but not, but no, and not, and no, but without, except, except for, excluding, exclude, excludes, anything but, other than, avoid, avoiding,
   nothing with, nothing about, nothing like, none with, dont want, do not want, dont like, dont use, do not use, leave out, minus,
   not containing, not including, that does not contain, that doesnt contain, not about, not related to, not with, must not contain,
   should not contain, no mention of, i hate, nothing to do with, not using, isnt for, arent for, is not for, are not for, thats not, that isnt, that isnt on, that isnt in, that arent, that arent on, that arent in, that is not, that is not on, that are not, that are not on, which isnt, which arent, who doesnt do, who dont do, that doesnt do, that dont do,
   doesnt do, doesnt sell, that doesnt sell, that dont sell, wouldnt want, would not want, i wouldnt want, dont need, do not need, dont include, do not include, but please no, please no, but not for, and not for, not for, nothing for`,
);
/** Negates what follows only after something was requested. */
const AFTER_TOPIC = phrases('not, no, without, w / o, non, never');
/** Excludes after a comma or semicolon: ", skip the blogs", "; nothing leather". */
const SKIP = phrases('skip the, skip any, skipping the, nothing');
/** Negates the word before it: "digits not allowed", "lessons not needed". */
const NOT_BEFORE = phrases(
  `not allowed, not needed, not wanted, not required, not necessary, not included, not welcome, unwanted, are a no, is a no, are out, not please, no thanks, no thank you`,
);
const NEGATED_SUFFIX = phrases(
  'not, no, without, w / o, non, not a, not an, not on, not in, no more, not under, never',
);
/** Negates only a suffix with a dot: in English, some of these are topics. */
const NEGATED_DOTTED = phrases(
  `kein, keine, keinen, ohne, nicht, sans, pas, pas de, pas du, pas en, senza, sin, nada de, sem, geen, niet, zonder, ingen, utan, uden, bez, без, не, nie`,
);

/**
 * Set phrases that look like a negation but are a topic: the buyer does not want to exclude the word.
 */
const COMPOUNDS = phrases(
  `not for profit, not for profits, no code, no kill, no name, no limit, no limits, no frills, no nonsense, no problem, no worries, no brainer, no show, no shows,
   no fuss, no mess, no fear, no pain, no drama, no regrets, no contact, no contract, no touch, no bake, no mow, no till, no sew, no waste,
   without borders, without frontiers, without limits, without walls, without end, without fear, not just, not only, not alone,
   no matter, no more, no one, no way, no stress, no sweat, no log, no logs`,
);

const SUFFIXES = phrases(
  'the suffix, suffix, suffixes, suffixes like, the extension, extension, extensions, extensions like, country suffixes, country suffixes like, country codes, country codes like, country extensions like, tlds, tlds like, the tld, endings like',
);
const HYPHENS = phrases(
  'hyphens, hyphen, hyphenated, hyphenation, dashes, dash, a hyphen, a dash, any hyphens, any dashes, hyphenated names, hyphenated domains',
);
const DIGITS = phrases(
  'numbers, number, digits, digit, numerals, any numbers, any digits, numeric, numerics, a number',
);
const SPECIAL = phrases('special characters, special chars, symbols');

const ALSO = phrases('or, nor, and, or any, and any, and no, or no, and without, or without');
const DETERMINER = phrases(
  `", “, the word ", the word “, the letters ", the word, the words, words like, word, words, anything with, anything about, anything, any, a, an, the, names with, names containing,
   in the name, related to, about, with, names like, stuff like, things like, like`,
);
const NAME_WORDS = phrases(
  '" in it, ” in it, " in the name, ” in the name, ", ”, in it, in the name, in them, names, name, domains, domain, words, please, in the domain',
);

/** Words before which "not" excludes nothing: "not just", "not your average". */
const NOT_NEGATED = new Set(
  'for just only so too to in your my all yet enough even necessarily sure at of by from as because that this more less over under'.split(
    ' ',
  ),
);

/** Words after which "not" belongs to the verb: "do not disturb", "forget me not", "why not". */
const BEFORE_OTHER_NOT = new Set(
  'me why if or whether do does did can could will would must may should'.split(' '),
);

/** Longer phrases are not treated as a list of excluded words. */
const LONGEST_PHRASE = 3;
const LONGEST_AFTER_NO = 2;

/**
 * Recognizes what names must not have: "no hyphens", "not .com", "but not shoes", "-shoes".
 * @param others the recognizers whose phrases end an exclusion
 */
export function exclusionRecognizer(others: readonly Recognizer[]): Recognizer {
  return (context, at) => {
    const { tokens } = context;
    if (isCompound(tokens, at)) return undefined;
    const suffixes = readSuffixes(tokens, at);
    if (suffixes) return suffixes;
    // "that isn't expensive" is a wish.
    if (others.some((recognize) => recognize(context, at + 1)?.meaning.wishes)) return undefined;
    const told = negationAt(context, at);
    return told ? readList(context, told, others) : readNotBefore(context, at, others);
  };
}

function isCompound(tokens: readonly QueryToken[], at: number): boolean {
  return COMPOUNDS.at(tokens, at) !== undefined;
}

function readSuffixes(tokens: readonly QueryToken[], at: number): Claim | undefined {
  const told = ALWAYS.at(tokens, at)?.end ?? NEGATED_SUFFIX.at(tokens, at)?.end;
  const start =
    told === undefined
      ? negatedSuffixAt(tokens, at)
      : skip(SUFFIXES, tokens, skip(DETERMINER, tokens, told));
  const list = start === undefined ? undefined : suffixListAt(tokens, start);
  return list && { end: list.end, meaning: { excludedTlds: list.tlds } };
}

/** Returns where the suffix begins in `-com`, `-.com`, `kein .com`. */
function negatedSuffixAt(tokens: readonly QueryToken[], at: number): number | undefined {
  if (isMinus(tokens, at)) return at + 1;
  const end = NEGATED_DOTTED.at(tokens, at)?.end;
  return end !== undefined && tokens[end]?.kind === 'suffix' ? end : undefined;
}

/** Returns whether a hyphen begins the next word: `-shoes`. */
function isMinus(tokens: readonly QueryToken[], at: number): boolean {
  return tokens[at]?.text === '-' && tokens[at + 1]?.glued === true && !tokens[at]?.glued;
}

/** `digits not allowed`, `lessons not needed`: one word at the beginning of a clause. */
function readNotBefore(
  context: QueryContext,
  at: number,
  others: readonly Recognizer[],
): Claim | undefined {
  const { tokens } = context;
  if (at > 0 && !isBoundary(tokens, at - 1)) return undefined;
  const simple = simpleItemAt(tokens, at);
  const end = simple?.end ?? (isContent(context, at, others) && at > 0 ? at + 1 : undefined);
  const told = end === undefined ? undefined : NOT_BEFORE.at(tokens, end);
  if (!told) return undefined;
  const excluded = foldText(tokens[at]?.text ?? '');
  return { end: told.end, meaning: simple?.meaning ?? { excluded: [excluded] } };
}

interface Negation {
  end: number;
  longest: number;
  /** Excludes only what ends its clause: "no sugar snacks" are snacks. */
  endsClause: boolean;
}

function negationAt({ tokens }: QueryContext, at: number): Negation | undefined {
  const always = ALWAYS.at(tokens, at)?.end;
  if (always !== undefined) return { end: always, longest: LONGEST_PHRASE, endsClause: false };
  const sign = tokens[at];
  const next = tokens[at + 1];
  if (isMinus(tokens, at) && next?.kind === 'word' && !isEnding(tokens, at + 2)) {
    return { end: at + 1, longest: 1, endsClause: false };
  }
  const skipped = at > 0 && isBoundary(tokens, at - 1) ? SKIP.at(tokens, at)?.end : undefined;
  if (skipped !== undefined) return { end: skipped, longest: LONGEST_PHRASE, endsClause: false };
  const after = AFTER_TOPIC.at(tokens, at)?.end;
  const place = after === undefined ? undefined : placeAfterIn(tokens, after);
  if (place !== undefined) return { end: place, longest: LONGEST_PHRASE, endsClause: false };
  if (sign?.word === 'not' && BEFORE_OTHER_NOT.has(tokens[at - 1]?.word ?? '')) return undefined;
  if (after === undefined || NOT_NEGATED.has(tokens[after]?.word ?? '')) return undefined;
  const longest = sign?.word === 'no' ? LONGEST_AFTER_NO : LONGEST_PHRASE;
  return { end: after, longest, endsClause: true };
}

/** `not in bali`: what follows "in" must be a place. */
function placeAfterIn(tokens: readonly QueryToken[], at: number): number | undefined {
  const next = tokens[at + 1];
  return tokens[at]?.word === 'in' && next?.kind === 'word' && isPlace(next.word)
    ? at + 1
    : undefined;
}

/** `-ster ending` asks for the ending instead of excluding it. */
const isEnding = (tokens: readonly QueryToken[], at: number): boolean =>
  /^endings?$/.test(tokens[at]?.word ?? '');

function readList(
  context: QueryContext,
  negation: Negation,
  others: readonly Recognizer[],
): Claim | undefined {
  const { tokens } = context;
  let limits = NO_LIMITS;
  let end: number | undefined;
  let next: number | undefined = negation.end;
  while (next !== undefined) {
    const item = itemAt(context, next, negation, others, end === undefined);
    if (!item) break;
    limits = combineLimits(limits, item.meaning);
    ({ end } = item);
    next = ALSO.at(tokens, end)?.end ?? commaAt(tokens, end);
  }
  return end === undefined || !hasLimits(limits) ? undefined : { end, meaning: limits };
}

/** "no hyphens, numbers": a comma continues the list only with what can't be a topic. */
function commaAt(tokens: readonly QueryToken[], at: number): number | undefined {
  if (tokens[at]?.text !== ',' && tokens[at]?.text !== '/') return undefined;
  const next = ALSO.at(tokens, at + 1)?.end ?? at + 1;
  return HYPHENS.at(tokens, next) || DIGITS.at(tokens, next) ? next : undefined;
}

function itemAt(
  context: QueryContext,
  at: number,
  { longest, endsClause }: Negation,
  others: readonly Recognizer[],
  isFirst: boolean,
): Claim | undefined {
  const { tokens } = context;
  const simple = simpleItemAt(tokens, at);
  if (simple) return simple;
  const start = skip(DETERMINER, tokens, at);
  // Words can only be excluded from something that was requested before.
  const isSomethingAsked = !isFirst || !endsClause || at > 1;
  if (!isSomethingAsked) return undefined;
  let end = start;
  while (end < start + longest && isContent(context, end, others)) end += 1;
  if (end === start) return undefined;
  if (endsClause && isContent(context, end, others)) return undefined;
  const words = tokens.slice(start, end).map(({ text }) => foldText(text));
  const excluded = words.filter((word) => word !== '').join(' ');
  if (excluded === '') return undefined;
  return { end: skip(NAME_WORDS, tokens, end), meaning: { excluded: [excluded] } };
}

function simpleItemAt(tokens: readonly QueryToken[], at: number): Claim | undefined {
  for (const [table, meaning] of [
    [HYPHENS, { noHyphens: true }],
    [DIGITS, { noDigits: true }],
    [SPECIAL, { noHyphens: true, noDigits: true }],
  ] as const satisfies readonly (readonly [typeof HYPHENS, PhraseMeaning])[]) {
    const found = table.at(tokens, at);
    if (found) return { end: skip(NAME_WORDS, tokens, found.end), meaning };
  }
  const list = tokens[at]?.kind === 'suffix' ? suffixListAt(tokens, at) : undefined;
  return list && { end: list.end, meaning: { excludedTlds: list.tlds } };
}

function isContent(context: QueryContext, at: number, others: readonly Recognizer[]): boolean {
  const { tokens } = context;
  const token = tokens[at];
  if (!token || token.kind === 'sign' || token.kind === 'suffix' || isBoundary(tokens, at)) {
    return false;
  }
  // "chanel no 5"
  if (/^\d$/.test(token.word)) return false;
  if (STOP_WORDS.has(token.word) || ['or', 'nor', 'and', 'but', 'not', 'no'].includes(token.word)) {
    return false;
  }
  return !others.some((recognize) => recognize(context, at));
}
