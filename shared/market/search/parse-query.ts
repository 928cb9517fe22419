import { toUnicode } from 'tr46';
import { MAX_LABEL_LENGTH } from '../names/domain-name.ts';
import { isInDictionary, isPlace } from './language/lexicon.ts';
import { type Alternative, readInEnglish, type WordOrigin } from './language/read-in-english.ts';
import { latinForms } from './language/romanize.ts';
import { segmentLabel } from './language/segment-label.ts';
import { SPELLING_COST, spellingCorrections } from './language/spelling.ts';
import { stem } from './language/stem.ts';
import {
  isLatin,
  ngramsOf,
  roleOf,
  STOP_WORDS,
  type TermRole,
  wordsOf,
} from './language/text-analysis.ts';
import { type Membership, thesaurus } from './language/thesaurus.ts';
import { isAffix, wordList } from './language/word-list.ts';
import { memoize } from './memoize.ts';
import { RANKING_WEIGHTS } from './ranking-weights.ts';
import { type SearchPart, withoutParts } from './search-parts.ts';

/** A word of a query, and what may match it in a name. */
export interface QueryTerm {
  word: string;
  stem: string;
  /** Stems of the word joined with its neighbor: `skin` in `skin care` is also `skincar`. */
  joined: readonly string[];
  /** Stems of its two parts, if it is a known compound: `carwash`. */
  parts: readonly string[];
  /** Stems of derived words and of the word it derives from. */
  forms: readonly string[];
  /** Stems of probable corrections of an unknown word. */
  repairs: readonly { stem: string; word: string; likeness: number }[];
  /** The likelihood that it is meant: 1, or less for a translation. */
  likeness: number;
  /** For a translation: the original words. */
  originals: readonly string[];
  /** Stems of the originals and their other meanings. */
  alternatives: readonly (Alternative & { stem: string })[];
  /** For a word of another script: its spellings in Latin letters. */
  latin: readonly string[];
  groups: ReadonlyMap<string, Membership>;
  /** Neither a word nor similar to one: perhaps a made-up name. */
  unknown: boolean;
  /** Whether it is the topic, describes it, or says little. */
  role: TermRole;
  /** Its weight relative to the other words. */
  weight: number;
  /** N-grams, for words in other scripts. */
  grams: readonly string[];
}

/** A parsed query. */
export interface ParsedQuery {
  /** The significant words, in order, without duplicates. */
  words: readonly QueryTerm[];
  /** Labels that equal the query: all its words joined, as typed and as corrected. */
  labels: readonly string[];
  /** Set if the query is a domain name: only this domain is an exact match. */
  domain: { label: string; tld: string } | null;
  /** Whether it is in Latin letters. */
  latin: boolean;
  /** Whether some words are translated. */
  translated: boolean;
}

const MAX_WORDS = 8;
/** The number of words to correct in a text. */
const MAX_CORRECTED = 24;
const AS_ASKED: WordOrigin = { likeness: 1, alternatives: [] };
const LONGEST_WORD = 40;
/** Shorter words are not split. */
const SHORTEST_JOINED = 5;
/** Longer words are not two words with a typo. */
const LONGEST_SPLIT = 24;
/** The lowest rank of the parts of a known compound. */
const COMMON_PART = 15_000;

/** A word of at least this rank may be a typo of a more common one. */
const RARE = 30_000;

const parseOnce = memoize((text) => parse(text, []), 2_000);

/**
 * Parses any text as a query. It may have no words and then matches nothing. An evaluation turns off the parts of
 * search in `without`.
 */
export function parseQuery(text: string, without: readonly SearchPart[] = []): ParsedQuery {
  return without.length > 0 ? parse(text, without) : parseOnce(text);
}

/** Returns a query with corrected spelling; null if no English word is misspelled. Accepts any text. */
export const correctSpelling = memoize((text: string): string | null => {
  const asked = wordsOf(text);
  if (asDomain(text) || readInEnglish(asked, text).foreign) return null;
  const meant = asked.flatMap((word, at) =>
    at < MAX_CORRECTED ? splitCompound(word).map(meantBy) : [word],
  );
  return meant.join('') === asked.join('') ? null : meant.join(' ');
}, 2_000);

function meantBy(word: string): string {
  return isKnown(word) ? word : (spellingCorrections(word)[0]?.word ?? word);
}

function parse(text: string, without: readonly SearchPart[]): ParsedQuery {
  const domain = asDomain(text);
  const asked = wordsOf(domain ? domain.label : text).map((word) => word.slice(0, LONGEST_WORD));
  const english = domain ? null : readInEnglish(asked, text);
  const read = english?.words ?? asked;
  const meaningful = read.filter((word) => !STOP_WORDS.has(word));
  // Splitting words is the expensive part of parsing, so split only the words that are kept.
  const meant = mostTelling([...new Set(meaningful.length > 0 ? meaningful : read)]);
  const words = [...new Set(meant.flatMap(splitCompound))].slice(0, MAX_WORDS);
  const askedWords = words
    .map((word, at) => toQueryTerm(words, at, english?.origins.get(word) ?? AS_ASKED))
    .map((term) => withoutParts(term, without));
  const repaired = askedWords.map(({ word, repairs }) => repairs[0]?.word ?? word).join('');
  // A name that equals only the translation of the query is not an exact match.
  const inEnglish = english?.foreign ? [] : [words.join(''), repaired];
  const labels = [...(english?.labels ?? [asked.join('')]), ...inEnglish];
  return {
    words: askedWords,
    labels: [...new Set(labels.map((label) => label.slice(0, MAX_LABEL_LENGTH)))].filter(
      (label) => label !== '',
    ),
    domain,
    latin: asked.every(isLatin),
    translated: english?.foreign ?? false,
  };
}

/** Keeps the most significant words, in order: topics, then describing words. */
function mostTelling(words: readonly string[]): readonly string[] {
  if (words.length <= MAX_WORDS) return words;
  const ofRole = (role: TermRole) => words.filter((word) => roleOf(word) === role);
  const telling = [...ofRole('topic'), ...ofRole('describing'), ...ofRole('generic')];
  const kept = new Set(telling.slice(0, MAX_WORDS));
  return words.filter((word) => kept.has(word));
}

/** Splits `neonwallet` into `neon wallet`, also with a typo in one part. A known word stays whole. */
function splitCompound(word: string): string[] {
  if (!isLatin(word) || word.length < SHORTEST_JOINED || isWord(word)) return [word];
  const pieces = segmentLabel(word).map(({ text }) => text);
  const knownLetters = pieces.filter(isWord).join('').length;
  // Short pieces of a made-up word are words by chance.
  const believable =
    pieces.length > 1 && pieces.every((text) => text.length > 2) && 2 * knownLetters >= word.length;
  const repairable = spellingCorrections(word).length > 0;
  const isSplit = !repairable || (!pieces.some(isShort) && isLikelierThanSlip(pieces, word));
  if (believable && pieces.every(isWord) && isSplit) return pieces;
  if (repairable) return [word];
  return splitWithSlip(word) ?? (believable ? pieces : [word]);
}

/** Whether a split is likelier than a typo: common words are often joined, rare ones, as in `mort gauge`, not. */
function isLikelierThanSlip(pieces: readonly string[], word: string): boolean {
  const { rankOf } = wordList();
  const cost = (each: string) => Math.log(rankOf(each) ?? RARE);
  const [meant] = spellingCorrections(word);
  if (meant === undefined) return true;
  return (
    pieces.reduce((sum, piece) => sum + cost(piece), 0) < cost(meant.word) + SPELLING_COST.slip
  );
}

/** Short words occur in nearly anything: `arc aid` in a typo of `arcade`. */
function isShort(word: string): boolean {
  return word.length === 3;
}

/** Returns whether a word needs no correction: a known word, or one not in English letters. */
function isKnown(word: string): boolean {
  return !isLatin(word) || /\d/.test(word) || isWord(word);
}

/** Returns whether a word is common or in a dictionary; the list's rarer words are mostly typos. */
function isWord(word: string): boolean {
  return (wordList().rankOf(word) ?? RARE) < RARE || isInDictionary(word);
}

/** Returns the best split into a known word and a corrected one. */
function splitWithSlip(word: string): string[] | undefined {
  if (word.length > LONGEST_SPLIT) return undefined;
  const { rankOf } = wordList();
  let best: { parts: string[]; rank: number } | undefined;
  for (let at = 3; at <= word.length - 3; at += 1) {
    const parts = [word.slice(0, at), word.slice(at)];
    const ranks = parts.map((part) => rankOf(part) ?? COMMON_PART);
    const common = ranks.findIndex((rank) => rank < COMMON_PART);
    if (common < 0) continue;
    const meant = rankOf(spellingCorrections(parts[1 - common] ?? '')[0]?.word ?? '');
    if (meant === undefined) continue;
    const rank = (ranks[common] ?? 0) * meant;
    if (best === undefined || rank < best.rank) best = { parts, rank };
  }
  return best?.parts;
}

function toQueryTerm(
  words: readonly string[],
  at: number,
  { likeness, alternatives }: WordOrigin,
): QueryTerm {
  const word = words[at] ?? '';
  const { rankOf } = wordList();
  const { groupsOf } = thesaurus();
  const role = isAffix(word) ? 'generic' : isPlace(word) ? 'describing' : roleOf(word);
  const known = isKnown(word);
  const repairs = known ? [] : spellingCorrections(word);
  const originals = alternatives.filter(({ asked }) => asked).map((other) => other.word);
  const [before, after] = [words[at - 1], words[at + 1]];
  const joined = [
    ...(before === undefined ? [] : [before + word]),
    ...(after === undefined ? [] : [word + after]),
  ].filter((both) => rankOf(both) !== undefined);
  return {
    word,
    stem: stem(word),
    joined: joined.map(stem),
    parts: partsOf(word),
    forms: formsOf(word),
    repairs: repairs.map((repair) => ({ ...repair, stem: stem(repair.word) })),
    groups: new Map([
      ...repairs.slice(0, 1).flatMap((repair) => [...groupsOf(stem(repair.word))]),
      ...groupsOf(stem(word)),
      ...groupsOfPairs(words, at),
      ...joined.flatMap((both) => [...groupsOf(stem(both))]),
    ]),
    unknown:
      (!known && repairs.length === 0 && rankOf(word) === undefined) ||
      (words.length === 1 && originals.some(isMadeUp)),
    role,
    weight: RANKING_WEIGHTS.word[role],
    grams: [...ngramsOf(word), ...originals.flatMap(ngramsOf)],
    likeness,
    originals,
    alternatives: alternatives.map((other) => ({ ...other, stem: stem(other.word) })),
    latin: [word, ...originals].flatMap(latinForms),
  };
}

/** Returns whether a single word is not English, so it may be a name. */
function isMadeUp(word: string): boolean {
  return isLatin(word) && wordList().rankOf(word) === undefined;
}

/** Returns the groups of the pairs with this word, such as `real estate` for `real`. */
function groupsOfPairs(words: readonly string[], at: number): [string, Membership][] {
  const { groupsOf } = thesaurus();
  return [at - 1, at].flatMap((left) => {
    const [first, second] = [words[left], words[left + 1]];
    if (first === undefined || second === undefined) return [];
    return [...groupsOf(`${stem(first)}_${stem(second)}`)];
  });
}

/** Splits `carwash` into `car wash`; none if it has no two common parts. */
function partsOf(word: string): string[] {
  if (!/^[a-z]{6,}$/.test(word)) return [];
  const { rankOf } = wordList();
  let best: { parts: string[]; rank: number } | undefined;
  for (let at = 3; at <= word.length - 3; at += 1) {
    const parts = [word.slice(0, at), word.slice(at)];
    const rank = Math.max(...parts.map((part) => rankOf(part) ?? Number.POSITIVE_INFINITY));
    if (rank < (best?.rank ?? COMMON_PART)) best = { parts, rank };
  }
  return (best?.parts ?? []).map(stem);
}

/**
 * Parses a domain from `https://www.neonwallet.com/`, `info@neonwallet.com` or `neonwallet.com`, but not `wallet. com` or
 * `e.g.`.
 */
function asDomain(text: string): ParsedQuery['domain'] {
  const host = text
    .trim()
    .toLowerCase()
    .replace(/^[a-z]+:\/\/|^mailto:/, '')
    .replace(/[/?#].*$/s, '')
    .replace(/^[^\s@]+@/, '')
    .replace(/\.$/, '')
    .replace(/^www\./, '');
  if (!/^[^\s.]+(\.[^\s.]{2,})+$/u.test(host)) return null;
  const { domain, error } = toUnicode(host, { useSTD3ASCIIRules: true, checkHyphens: true });
  if (error) return null;
  const dot = domain.indexOf('.');
  return { label: domain.slice(0, dot), tld: domain.slice(dot + 1) };
}

/** Words that end like agent nouns but are not. */
const NOT_AGENT_NOUNS = new Set(
  `after anchor artist banner better border bother bumper butter center chapter cider cipher copper corner counter
   cover customer dentist dinner enter ever fiber filter finger flower folder former gender ginger hammer harbor honor
   ladder laser later layer leather letter liter lumber luster manner master matter meter mirror motor never
   number offer order other over owner paper partner pepper pillar platter player poster powder power quarter
   rather river rubber saver shower shoulder sister slipper soccer spider sponsor summer super supper tender
   theater tiger timber tower under vapor water weather winter wonder`.split(/\s+/),
);
/** Derived forms must be more common than forms found by removing an ending. */
const COMMON = { base: 30_000, made: 12_000 } as const;

/**
 * Returns the stems of derived words and of base words: a roaster roasts, a bakery bakes. Plurals and -ing forms
 * already share the stem.
 */
export function formsOf(word: string): string[] {
  if (!/^[a-z]{4,}$/.test(word)) return [];
  if (NOT_AGENT_NOUNS.has(word)) return [];
  const { rankOf } = wordList();
  const realAbove = (rank: number) => (candidate: string) =>
    !NOT_AGENT_NOUNS.has(candidate) && (rankOf(candidate) ?? rank) < rank;
  const forms = [
    ...verbsOfAgent(word.replace(/(?<=er|or|ist)s$|(?<=er)ies$/, '')).filter(
      realAbove(COMMON.base),
    ),
    ...agentsOfVerb(word).filter(realAbove(COMMON.made)),
  ];
  const own = stem(word);
  return [...new Set(forms.map(stem))].filter((stemmed) => stemmed !== own);
}

/** `roaster` to `roast`, `baker` to `bake`, `planner` to `plan`, `bakery` to `bake`. */
function verbsOfAgent(word: string): string[] {
  const bare = /^(.{3,}?)(?:ery|er|or|ist)$/.exec(word)?.[1];
  if (bare === undefined) return [];
  return [bare, `${bare}e`, bare.replace(/(.)\1$/, '$1')];
}

/** The reverse. */
function agentsOfVerb(word: string): string[] {
  const bare = word.replace(/[ey]$/, '');
  const doubled = /[aeiou][bdgmnpt]$/.test(word) ? [word + word.at(-1)] : [];
  return [bare, ...doubled].flatMap((base) => [`${base}er`, `${base}ery`, `${base}ist`]);
}
