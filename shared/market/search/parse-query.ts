import { toUnicode } from 'tr46';
import { MAX_LABEL_LENGTH } from '../names/domain-name.ts';
import { asksFact } from './language/fact-question.ts';
import { isInDictionary, isPlace, lexicon } from './language/lexicon.ts';
import { type Alternative, readInEnglish, type WordOrigin } from './language/read-in-english.ts';
import { segmentLabel } from './language/segment-label.ts';
import { SPELLING_COST, spellingCorrections } from './language/spelling.ts';
import { stem } from './language/stem.ts';
import {
  isLatin,
  isPlain,
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

/** A word of a query, and what a name may hold instead of it. */
export interface QueryTerm {
  word: string;
  stem: string;
  /** Stems of what it is together with the word beside it: `skin` of `skin care` is `skincar`, too. */
  joined: readonly string[];
  /** Stems of the words that it is made of, when it is a known word made of two: `carwash`. */
  parts: readonly string[];
  /** Stems of words derived from it, or it from them. */
  forms: readonly string[];
  /** Stems of what was probably meant, when it is no word that we know. */
  repairs: readonly { stem: string; word: string; likeness: number }[];
  /** How likely it is meant: 1, or less for a translation. */
  likeness: number;
  /** Of a translation: the words that it translates. */
  originals: readonly string[];
  /** Stems of those, and of what else they may mean. */
  alternatives: readonly (Alternative & { stem: string })[];
  groups: ReadonlyMap<string, Membership>;
  /** Neither a word nor like one: perhaps a made-up name. */
  unknown: boolean;
  /** What it says of the business: what it is, how it is, or hardly anything. */
  role: TermRole;
  /** What it counts for beside the others. */
  weight: number;
  /** Runs of signs, of words in other scripts. */
  grams: readonly string[];
}

/** A search as the engine sees it. */
export interface ParsedQuery {
  /** The words that count, in order, without repetition. */
  words: readonly QueryTerm[];
  /** Labels that would be the query itself: all its words run together, as asked and as repaired. */
  labels: readonly string[];
  /** Set when the query is a domain name: only this one is an exact hit. */
  domain: { label: string; tld: string } | null;
  /** Its letters are those of English, without accents. */
  plain: boolean;
  /** Some of its words are of another language. */
  translated: boolean;
  /** It asks for a fact: "how many ounces in a gallon". */
  asksFact: boolean;
}

const MAX_WORDS = 8;
/** Longer texts are not corrected to their end. */
const MAX_CORRECTED = 24;
const AS_ASKED: WordOrigin = { likeness: 1, alternatives: [] };
const LONGEST_WORD = 40;
/** Words that are shorter are not taken apart. */
const SHORTEST_JOINED = 5;
/** Longer words are no two words with a slip. */
const LONGEST_SPLIT = 24;
/** The parts that a known word is taken apart into are at least this common. */
const COMMON_PART = 15_000;

/** From here on a word of the list may as well be a slip of a commoner one. */
const RARE = 30_000;

const parseOnce = memoize((text) => parse(text, []), 2_000);

/**
 * Reads any text as a query; it may come out without words, and then matches nothing. An evaluation reads it `without`
 * some parts of search.
 */
export function parseQuery(text: string, without: readonly SearchPart[] = []): ParsedQuery {
  return without.length > 0 ? parse(text, without) : parseOnce(text);
}

/** A query as it was probably meant; null when nothing in it is misspelled English. Takes any text. */
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
  // Splitting words is the expensive part of parsing, so only as many are split as count in the
  // end.
  const meant = mostTelling([...new Set(meaningful.length > 0 ? meaningful : read)]);
  const shares = sharesOf(read);
  const pieceShares = new Map<string, number>();
  for (const word of meant) {
    const share = shares.get(word) ?? 1;
    for (const piece of splitCompound(word)) {
      pieceShares.set(piece, Math.max(pieceShares.get(piece) ?? 0, share));
    }
  }
  const words = [...pieceShares.keys()].slice(0, MAX_WORDS);
  const askedWords = words
    .map((word, at) =>
      toQueryTerm(words, at, pieceShares.get(word) ?? 1, english?.origins.get(word) ?? AS_ASKED),
    )
    .map((term) => withoutParts(term, without));
  const repaired = askedWords.map(({ word, repairs }) => repairs[0]?.word ?? word).join('');
  // A name that is only a translation of the query is no exact hit.
  const inEnglish = english?.foreign ? [] : [words.join(''), repaired];
  const labels = [...(english?.labels ?? [asked.join('')]), ...inEnglish];
  return {
    words: askedWords,
    labels: [...new Set(labels.map((label) => label.slice(0, MAX_LABEL_LENGTH)))].filter(
      (label) => label !== '',
    ),
    domain,
    plain: isPlain(text),
    translated: english?.foreign ?? false,
    asksFact: asksFact(text),
  };
}

/** Of too many words those that say what the business is, then how it is, in their order. */
function mostTelling(words: readonly string[]): readonly string[] {
  if (words.length <= MAX_WORDS) return words;
  const ofRole = (role: TermRole) => words.filter((word) => roleOf(word) === role);
  const telling = [...ofRole('topic'), ...ofRole('describing'), ...ofRole('generic')];
  const kept = new Set(telling.slice(0, MAX_WORDS));
  return words.filter((word) => kept.has(word));
}

/** `neonwallet` is asked as `neon wallet`, also with a slip in one of them; what is a word stays one. */
function splitCompound(word: string): string[] {
  if (!isLatin(word) || word.length < SHORTEST_JOINED || isWord(word)) return [word];
  const pieces = segmentLabel(word).map(({ text }) => text);
  const knownLetters = pieces.filter(isWord).join('').length;
  // Of a made-up word, short pieces are words by chance.
  const believable =
    pieces.length > 1 && pieces.every((text) => text.length > 2) && 2 * knownLetters >= word.length;
  const repairable = spellingCorrections(word).length > 0;
  const isSplit = !repairable || (!pieces.some(isShort) && isLikelierThanSlip(pieces, word));
  if (believable && pieces.every(isWord) && isSplit) return pieces;
  if (repairable) return [word];
  return splitWithSlip(word) ?? (believable ? pieces : [word]);
}

/** Two common words are written as one more often than a rare one is misspelled, and two rare ones less: `mort gauge`. */
function isLikelierThanSlip(pieces: readonly string[], word: string): boolean {
  const { rankOf } = wordList();
  const cost = (each: string) => Math.log(rankOf(each) ?? RARE);
  const [meant] = spellingCorrections(word);
  if (meant === undefined) return true;
  return (
    pieces.reduce((sum, piece) => sum + cost(piece), 0) < cost(meant.word) + SPELLING_COST.slip
  );
}

/** Short words are found in nearly anything: `arc aid` in a slip of `arcade`. */
function isShort(word: string): boolean {
  return word.length === 3;
}

/** What is not repaired: words, and what has nothing to do with the spelling of English. */
function isKnown(word: string): boolean {
  return !isLatin(word) || /\d/.test(word) || isWord(word);
}

/** A word that people use or a dictionary has; the list has rarer ones that are mostly slips of others. */
function isWord(word: string): boolean {
  return (wordList().rankOf(word) ?? RARE) < RARE || isInDictionary(word);
}

/** The best cut into a common word and one that a repair makes a word of. */
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

/** Words after which comes for whom, where or how something is, and what share of its weight that has. */
const ASIDE_SHARES: ReadonlyMap<string, number> = new Map([
  ['to', 0.7],
  ...['with', 'by', 'on', 'who', 'that', 'which', 'where'].map((word) => [word, 0.6] as const),
  ...'for in at near from around into over without while when so because but like not'
    .split(' ')
    .map((word) => [word, 0.5] as const),
  ['than', 0.4],
]);

/** What share of its weight each word has by where it stands: what follows a topic as an aside counts for less. */
function sharesOf(asked: readonly string[]): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  let share = 1;
  let hasTopic = false;
  for (const word of asked) {
    const aside = ASIDE_SHARES.get(word);
    if (aside !== undefined) share = hasTopic ? aside : 1;
    else if (!STOP_WORDS.has(word)) {
      hasTopic ||= roleOf(word) === 'topic';
      shares.set(word, Math.max(shares.get(word) ?? 0, share));
    }
  }
  return shares;
}

function toQueryTerm(
  words: readonly string[],
  at: number,
  share: number,
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
    weight: share * RANKING_WEIGHTS.word[role] * tellingShare(stem(word)),
    grams: [...ngramsOf(word), ...originals.flatMap(ngramsOf)],
    likeness,
    originals,
    alternatives: alternatives.map((other) => ({ ...other, stem: stem(other.word) })),
  };
}

/** What is left of the weight of a word by how common it is: "keep" and "through" say little of a business. */
function tellingShare(stemmed: string): number {
  const id = lexicon().idOf(stemmed);
  if (id === undefined) return 1;
  const rank = lexicon().rankAt(id);
  return rank / (rank + RANKING_WEIGHTS.word.common);
}

/** Of one word alone that is none of English: it may be a name. */
function isMadeUp(word: string): boolean {
  return isLatin(word) && wordList().rankOf(word) === undefined;
}

/** Of `real` in `real estate`: the groups of the two together. */
function groupsOfPairs(words: readonly string[], at: number): [string, Membership][] {
  const { groupsOf } = thesaurus();
  return [at - 1, at].flatMap((left) => {
    const [first, second] = [words[left], words[left + 1]];
    if (first === undefined || second === undefined) return [];
    return [...groupsOf(`${stem(first)}_${stem(second)}`)];
  });
}

/** `carwash` as `car wash`; none when its parts are not common, or it has none. */
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

/** `https://www.neonwallet.com/` and `neonwallet.com` name a domain; `wallet. com` and `e.g.` do not. */
function asDomain(text: string): ParsedQuery['domain'] {
  const host = text
    .trim()
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .replace(/[/?#].*$/s, '')
    .replace(/\.$/, '')
    .replace(/^www\./, '');
  if (!/^[^\s.]+(\.[^\s.]{2,})+$/u.test(host)) return null;
  const { domain, error } = toUnicode(host, { useSTD3ASCIIRules: true, checkHyphens: true });
  if (error) return null;
  const dot = domain.indexOf('.');
  return { label: domain.slice(0, dot), tld: domain.slice(dot + 1) };
}

/** Words that end like somebody who does something, and are nothing of the kind. */
const NOT_AGENT_NOUNS = new Set(
  `after anchor artist banner better border bother bumper butter center chapter cider cipher copper corner counter
   cover customer dentist dinner enter ever fiber filter finger flower folder former gender ginger hammer harbor honor
   ladder laser later layer leather letter liter lumber luster manner master matter meter mirror motor never
   number offer order other over owner paper partner pepper pillar platter player poster powder power quarter
   rather river rubber saver shower shoulder sister slipper soccer spider sponsor summer super supper tender
   theater tiger timber tower under vapor water weather winter wonder`.split(/\s+/),
);
/** The forms that are made up here have to be commoner than those that are found by taking an ending away. */
const COMMON = { base: 30_000, made: 12_000 } as const;

/**
 * Stems of the words that are made of this one, or that it is made of: a roaster roasts, a bakery bakes. What
 * plurals and -ing forms share is its stem already.
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

/** And back. */
function agentsOfVerb(word: string): string[] {
  const bare = word.replace(/[ey]$/, '');
  const doubled = /[aeiou][bdgmnpt]$/.test(word) ? [word + word.at(-1)] : [];
  return [bare, ...doubled].flatMap((base) => [`${base}er`, `${base}ery`, `${base}ist`]);
}
