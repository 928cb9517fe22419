import { MAX_LABEL_LENGTH } from '../../names/domain-name.ts';
import { STOP_WORDS } from '../language/text-analysis.ts';
import type { PhraseMeaning } from './interpretation.ts';
import {
  type LetterPattern,
  NAMED_PATTERNS,
  PALINDROME,
  PRONOUNCEABLE,
  patternOfClasses,
  patternOfCount,
  patternOfEdge,
  patternOfRepeats,
  patternOfWildcards,
  patternWithout,
} from './letter-patterns.ts';
import { phraseLists, phrases, phrasesOf, skip } from './phrase-table.ts';
import { countAt, isBoundary, orLessAt, rangeAt } from './quantities.ts';
import { asSuffix, type QueryToken } from './query-tokens.ts';
import type { Claim, QueryContext } from './recognizer.ts';
import { isOfName, isSaidOfName, NAME_NOUNS, STYLE_WORDS } from './wish-phrases.ts';

/** Phrases that {@link INSIDE} may close: "with yoga in it". */
export const WITH = phrases(
  'with, w /, has, have, having, must have, should have, that has, that have, contain, contains, containing',
);
export const INSIDE = phrases(
  'in it, in the name, in them, in its name, in the domain, in the domain name, in there, inside, inside it, somewhere in it, somewhere in the name, somewhere, anywhere, anywhere in it, anywhere in the name',
);
const LETTERS_ONLY = { noHyphens: true, noDigits: true } as const;

/** Phrases about a name's letters, digits and hyphens, unless they describe a word that follows. */
const SAID = phraseLists<PhraseMeaning>([
  [
    `all digits, digits only, only digits, all numbers, numbers only, only numbers, numeric only, only numeric, purely numeric, all numeric, just numbers,
    just digits, nothing but digits, nothing but numbers, number only, numeric, numerics, made of digits, made of numbers, made up of digits, made up of numbers, consisting of digits, consisting of numbers`,
    { onlyDigits: true },
  ],
  [
    'numeric palindrome, numeric palindromes, palindromic number, palindromic numbers',
    { onlyDigits: true, patterns: [PALINDROME] },
  ],
  ['letters only, only letters, alphabetic only, only alphabetic', LETTERS_ONLY],
  ['hyphen free, unhyphenated, dash free', { noHyphens: true }],
  ['number free, digit free', { noDigits: true }],
  ['hyphenated', { withHyphens: true }],
  ...NAMED_PATTERNS.map(({ said, ...pattern }) => [said, { patterns: [pattern] }] as const),
  ...Array.from('abcdefghijklmnopqrstuvwxyz').flatMap((letter) => [
    [`double ${letter}, a double ${letter}`, { contains: [letter.repeat(2)] }] as const,
    [`triple ${letter}, a triple ${letter}`, { contains: [letter.repeat(3)] }] as const,
  ]),
]);
/** What names can contain: "ends in a number", "with a hyphen". */
const SIGN = phraseLists<PhraseMeaning>([
  [
    'number, numbers, a number, digit, digits, a digit, numeral, numerals, some numbers, some digits, any number, any digit',
    { withDigits: true },
  ],
  ['hyphen, hyphens, a hyphen, dash, dashes, a dash', { withHyphens: true }],
  ['keyword, keywords, the keyword, the keywords', { wishes: ['descriptive'] }],
]);
/** Words that only describe names. */
const SAYABLE = phrases('pronounceable, pronouncable, pronouncible');
/** Words that make what follows a limit, whatever is before them. */
const LIMITING = /^(no|without|only|all|just|not|nothing|purely|zero)$/;

/** Classes of characters: letters, digits (numbers), vowels and consonants. */
const SIGNS = phraseLists([
  ['letter, letters', 'L'],
  ['digit, digits, number, numbers, numeral, numerals', 'N'],
  ['vowel, vowels', 'V'],
  ['consonant, consonants', 'C'],
]);
const THEN = phrases('and, plus, +, &, then, and then, followed by, -, ,');
const ARTICLE = phrases('a, any, some, the, one');
const PATTERN = phrases('pattern, patterns, format, structure, style, type');
const said = (verbs: string, relations: string) =>
  phrasesOf(verbs)
    .flatMap((verb) => phrasesOf(relations).map((relation) => `${verb} ${relation}`))
    .flatMap((phrase) => [phrase, `that ${phrase}`, `which ${phrase}`])
    .join(', ');
/** Phrases about the beginning and the end. */
export const EDGES = [
  [said('starting, starts, start, beginning, begins, begin', 'with, in'), 'startsWith'],
  [said('ending, ends, end, finishing, finishes', 'in, with, on'), 'endsWith'],
] as const;
const EDGE = phraseLists(EDGES);
const AT_EDGE = phraseLists([
  ['at the start, at the beginning, in front', true],
  ['at the end', false],
]);
const WITHOUT = phrases(
  'but no, and no, but without, and without, no letter, no letters, no digit, no number, without the letter, without the letters, without the number, without the digit, without letter, without a, without any, no, without, not the number, not the letter, not the digit',
);
const ALSO = phrases('or, nor, and, or the letter, and no, or no, and the letter');
const IN_A_ROW = phrases('in a row, next to each other, side by side, one after the other');
/** No word repeats a letter more often in a row. */
const MOST_IN_A_ROW = 4;
const MOST_LEFT_OUT = 8;

/** Patterns of letters and digits: `LLNN`, "two letters two digits", "palindrome", "at most one vowel", "b??". */
export function recognizePatterns(context: QueryContext, at: number): Claim | undefined {
  const { tokens } = context;
  return (
    readTemplate(tokens, at) ??
    readSequence(tokens, at) ??
    readWildcards(tokens, at) ??
    readPhrase(context, at) ??
    readEdge(tokens, at) ??
    readCount(tokens, at) ??
    readSign(context, at) ??
    readWithout(context, at) ??
    readInARow(tokens, at)
  );
}

/** What traders write: `LLLL`, `4L.com`, `LLNN`, `CVCV`, `ABAB`. */
function readTemplate(tokens: readonly QueryToken[], at: number): Claim | undefined {
  const [, typed = '', suffix] =
    /^([A-Z\d]{2,8})(?:\.(\p{L}{2,}))?$/iu.exec(tokens[at]?.text ?? '') ?? [];
  const end = skip(PATTERN, tokens, at + 1);
  const tld = suffix === undefined ? undefined : asSuffix(suffix);
  const name = typed
    .toUpperCase()
    .replace(/([2-9])([LN])/g, (_, count, sign) => sign.repeat(Number(count)));
  const meaning = meaningOfTemplate(name);
  // "NNN leases" and "2L bottles" are topics. In lower case, the pattern must be longer and not a band ("abba").
  const isTyped =
    typed === typed.toUpperCase() || (name.length > 3 && new Set(name).size > 1 && name !== 'ABBA');
  if (!meaning || !(/^L{3,}$/.test(typed) || (isTyped && isOfName(tokens, end)))) return undefined;
  return { end, meaning: { ...meaning, tlds: tld === undefined ? [] : [tld] } };
}

function meaningOfTemplate(name: string): PhraseMeaning | undefined {
  const exactly = { minLength: name.length, maxLength: name.length };
  if (/^L{2,8}$/.test(name)) return { ...exactly, ...LETTERS_ONLY };
  if (/^N{2,8}$/.test(name)) return { ...exactly, onlyDigits: true };
  const isOfClasses = /^[LN]{2,8}$/.test(name) || /^(?=.*C)(?=.*V)[CV]{3,8}$/.test(name);
  if (isOfClasses) return { ...exactly, patterns: [patternOfClasses(name)] };
  const letters = [...new Set(name)].join('');
  const isOfRepeats =
    name.length > letters.length + (letters === 'A' ? 2 : 0) && 'ABCDEF'.startsWith(letters);
  return isOfRepeats && name.length > 2
    ? { ...exactly, patterns: [patternOfRepeats(name)] }
    : undefined;
}

/** `two letters two digits`, `letter number letter`, `consonant vowel consonant`. */
function readSequence(tokens: readonly QueryToken[], at: number): Claim | undefined {
  let template = '';
  let end = at;
  let isCounted = false;
  for (let next = at; ; next = skip(ARTICLE, tokens, skip(THEN, tokens, end))) {
    const count = countAt(tokens, next);
    const sign = SIGNS.at(tokens, count?.end ?? next);
    if (!sign || (!count && /s$/.test(tokens[sign.end - 1]?.word ?? ''))) break;
    isCounted ||= count !== undefined;
    template += sign.value.repeat(Math.min(count?.value ?? 1, 9));
    ({ end } = sign);
  }
  const signs = new Set(template).size;
  if (signs < 2 || template.length > 12 || (!isCounted && template.length < 3)) return undefined;
  if (!isOfName(tokens, end)) return undefined;
  const { length } = template;
  return {
    end,
    meaning: { minLength: length, maxLength: length, patterns: [patternOfClasses(template)] },
  };
}

/** `b____`, `a?b?`, `pay*`: more blanks than anyone types by accident, or a star next to a word. */
function readWildcards(tokens: readonly QueryToken[], at: number): Claim | undefined {
  if (tokens[at]?.glued) return undefined;
  let end = at + 1;
  while (
    end < at + MAX_LABEL_LENGTH &&
    tokens[end]?.glued &&
    /^[\p{L}\p{N}_?*.]+$/u.test(tokens[end]?.text ?? '')
  )
    end += 1;
  const typed = tokens
    .slice(at, end)
    .map(({ text }) => text)
    .join('')
    .toLowerCase();
  const [, written = '', start = '', last = '', suffix] =
    /^(([\p{L}\d]*)[\p{L}\d_?*]*?([\p{L}\d]*))(?:\.(\p{L}[\p{L}.]*))?$/u.exec(typed) ?? [];
  const name = written.replaceAll('_', '?');
  const [letters, blanks] = [name.replace(/[?*]/g, '').length, name.split('?').length - 1];
  const isStar = letters > 1 && /^[^*]*\*[^*]*$/.test(name);
  const isInside = /\?.*[^?]/.test(name);
  // "ready??" is a question and "my_shop" a name.
  const isBlank = written.includes('_') || isInside ? letters <= 2 * blanks : letters < blanks;
  if (letters === 0 || !(isStar || (isBlank && blanks > (isInside ? 0 : 1)))) return undefined;
  if (!isOfName(tokens, end)) return undefined;
  const tld = suffix === undefined ? undefined : asSuffix(suffix);
  const length = isStar ? null : name.length;
  return {
    end,
    meaning: {
      minLength: length,
      maxLength: length,
      startsWith: start || null,
      endsWith: last || null,
      patterns: [patternOfWildcards(name)],
      tlds: tld === undefined ? [] : [tld],
    },
  };
}

/** `palindrome`, `digits only`, `no vowels`, `with double letters`. */
function readPhrase(context: QueryContext, at: number): Claim | undefined {
  const { tokens } = context;
  const sayable = SAYABLE.at(tokens, at);
  if (sayable) {
    return { end: sayable.end, meaning: { wishes: ['brandable'], patterns: [PRONOUNCEABLE] } };
  }
  const told = WITH.at(tokens, at);
  const said = SAID.at(tokens, told?.end ?? at);
  if (!said) return undefined;
  const end = skip(INSIDE, tokens, said.end);
  const words = tokens.slice(at, end).map(({ word }) => word);
  const isOfSyllables = said.value.patterns?.some(({ name }) => name.includes('syllable'));
  const isLimit =
    told !== undefined ||
    isFree(context, at) ||
    LIMITING.test(words[0] ?? '') ||
    /^(only|free)$/.test(words.at(-1) ?? '') ||
    (tokens[end] !== undefined && !isBoundary(tokens, end) && isSaidOfName(tokens, end));
  if (!isOfSyllables && !(isLimit && isOfName(tokens, end))) return undefined;
  return { end, meaning: { ...said.value, ...(isOfSyllables && { wishes: ['short'] }) } };
}

/** Returns whether no topic comes before: only nothing, an understood phrase or a filler word. */
function isFree(context: QueryContext, at: number): boolean {
  const { tokens } = context;
  const before = tokens[at - 1];
  return (
    before === undefined ||
    context.isClaimed(at - 1) ||
    isBoundary(tokens, at - 1) ||
    STOP_WORDS.has(before.word) ||
    STYLE_WORDS.has(before.word) ||
    NAME_NOUNS.at(tokens, at - 1) !== undefined
  );
}

/** `starts with a digit`, `ending in two vowels`. */
function readEdge(tokens: readonly QueryToken[], at: number): Claim | undefined {
  const told = EDGE.at(tokens, at);
  if (!told) return undefined;
  const count = countAt(tokens, told.end);
  const sign = SIGNS.at(tokens, count?.end ?? skip(ARTICLE, tokens, told.end));
  // "starts with the letter k"
  if (!sign || !isOfName(tokens, sign.end) || sign.value === 'L') return undefined;
  return {
    end: sign.end,
    meaning: {
      patterns: [patternOfEdge(sign.value, count?.value ?? 1, told.value === 'startsWith')],
    },
  };
}

/** `at most one vowel`, `with two digits`, `three consonants or more`. */
function readCount(tokens: readonly QueryToken[], at: number): Claim | undefined {
  const told = skip(WITH, tokens, at);
  const asked = rangeAt(tokens, told);
  const sign = asked && SIGNS.at(tokens, asked.end);
  // Counts of letters are lengths, and so are counts of digits if there is nothing else.
  if (!sign || sign.value === 'L' || !isOfName(tokens, sign.end)) return undefined;
  const range = orLessAt(tokens, { ...asked, end: sign.end }) ?? { ...asked, end: sign.end };
  const edge = AT_EDGE.at(tokens, range.end);
  if (edge) {
    const pattern = patternOfEdge(sign.value, range.least ?? 1, edge.value);
    return { end: edge.end, meaning: { patterns: [pattern] } };
  }
  if (sign.value === 'N' && told === at && (range.least !== null || (range.most ?? 0) > 2)) {
    return undefined;
  }
  return {
    end: skip(INSIDE, tokens, range.end),
    meaning: { patterns: [patternOfCount(sign.value, range.least ?? 0, range.most)] },
  };
}

/** `with a number in it`, `name with a hyphen`. */
function readSign(context: QueryContext, at: number): Claim | undefined {
  const { tokens } = context;
  const told = WITH.at(tokens, at);
  const sign = told && signsAt(tokens, told.end);
  if (!sign) return undefined;
  const inside = INSIDE.at(tokens, sign.end);
  // "painting with numbers" is a topic.
  const isItsOwn = sign.meaning.withHyphens || isFree(context, at);
  if (!inside && !(isItsOwn && isBoundary(tokens, sign.end))) return undefined;
  return { ...sign, end: inside?.end ?? sign.end };
}

/** Returns the digits, hyphens or keywords mentioned at `at`. */
export function signsAt(tokens: readonly QueryToken[], at: number): Claim | undefined {
  const sign = SIGN.at(tokens, at);
  return sign && { end: sign.end, meaning: sign.value };
}

/** `no 4`, `without the letter e`, `no 4s or 7s`. */
function readWithout(context: QueryContext, at: number): Claim | undefined {
  const { tokens } = context;
  const told = WITHOUT.at(tokens, at);
  if (!told) return undefined;
  const isNamed = told.end - at > 1;
  const patterns: LetterPattern[] = [];
  let end = told.end;
  for (let next: number | undefined = end; next !== undefined; next = ALSO.at(tokens, end)?.end) {
    const start = skip(WITHOUT, tokens, next);
    const [, sign, plural] = /^(\p{L}|\d)(s?)$/u.exec(tokens[start]?.word ?? '') ?? [];
    // "chanel no 5" and "no i in team" are topics.
    const isSure =
      isNamed ||
      patterns.length > 0 ||
      plural === 's' ||
      (isFree(context, at) && !/[ai1]/.test(sign ?? ''));
    if (sign === undefined || !isSure || patterns.length === MOST_LEFT_OUT) break;
    patterns.push(patternWithout(sign));
    end = start + 1;
  }
  if (patterns.length === 0 || !isOfName(tokens, end) || tokens[end]?.word === 'to')
    return undefined;
  return { end, meaning: { patterns } };
}

/** `two e's in a row` */
function readInARow(tokens: readonly QueryToken[], at: number): Claim | undefined {
  const count = countAt(tokens, at);
  const [, letter] = /^(\p{L})s?$/u.exec(tokens[count?.end ?? at]?.word ?? '') ?? [];
  const told = count && letter ? IN_A_ROW.at(tokens, count.end + 1) : undefined;
  if (!count || !letter || !told || count.value > MOST_IN_A_ROW) return undefined;
  return { end: told.end, meaning: { contains: [letter.repeat(count.value)] } };
}
