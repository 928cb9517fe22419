import { memoize } from '../memoize.ts';
import {
  type DictionaryEntry,
  findEntry,
  LANGUAGES,
  type Language,
  OTHER_SCRIPTS,
} from './dictionary.ts';
import { FOREIGN_STOP_WORDS } from './foreign-stop-words.ts';
import { lemmasOf } from './inflections.ts';
import { isInDictionary } from './lexicon.ts';
import { plainSpelling } from './romanize.ts';
import { segmentUnspaced } from './segment-unspaced.ts';
import { spellingCorrections } from './spelling.ts';
import { isCompounding, splitForeign } from './split-foreign.ts';
import { isLatin, isUnspaced, STOP_WORDS } from './text-analysis.ts';
import { wordList } from './word-list.ts';

/** An English translation of one or two words, and its likelihood, 0 to 1. */
interface Translation {
  text: string;
  likeness: number;
}

/** A part of a query: a word, a phrase with one meaning, or a part of a compound. */
export interface TranslatedTerm {
  /** As in the query, folded. */
  asked: string;
  /** Likeliest first; empty if it stays as it is. */
  english: readonly Translation[];
  /** Null for English. */
  language: Language | null;
}

/** A word of the English list with at least this rank is as likely to be from another language. */
const RARE_ENGLISH = 30_000;
const LONGEST_PHRASE = 4;
const MOST_MEANINGS = 3;
/** Shorter words match as forms of nearly anything. */
const SHORTEST_FORM = 4;
/** Among English words, a shorter one is more likely a typo. */
const SHORTEST_AMONG_ENGLISH = 5;
const SHORTEST_COMPOUND = 8;
/** The likelihood of a word's first meaning, and the factor for each later one. */
const LIKENESS = {
  first: 0.95,
  next: 0.85,
  form: 0.98,
  part: 0.95,
  guess: 0.85,
} as const;
/** How much each kind of word counts as evidence for a language, and English words against it. */
const EVIDENCE = {
  word: 1,
  form: 0.9,
  /** For a word found only in the dictionaries' spelling. */
  respelled: 0.9,
  compound: 0.6,
  stopWord: 0.6,
  alsoEnglish: 0.2,
  least: 0.5,
} as const;
/** The smallest difference in evidence that tells languages apart. */
const SAME = 0.05;

const remembered = memoize((text) => translateAll(text === '' ? [] : text.split(' ')), 2_000);
const isEnglish = memoize(looksEnglish, 5_000);

/**
 * Translates the folded words of a query from whatever language it is in. English words stay as they are. If most other
 * words are of one language, its words that are also English are read in it (`taller de coches`), and its function
 * words are dropped. Accepts any words.
 */
export function translate(words: readonly string[]): readonly TranslatedTerm[] {
  return remembered(words.join(' '));
}

/** `aaaaaa` in any script is not a word. */
const ONE_LETTER = /^(\p{L})\1{3,}$/u;

function translateAll(words: readonly string[]): TranslatedTerm[] {
  if (words.every((word) => ONE_LETTER.test(word))) return words.map(asEnglish);
  const readings = LANGUAGES.map((language) => readAs(language, words));
  const best = Math.max(...readings.map(({ evidence }) => evidence));
  const likely = readings.filter(({ evidence }) => evidence > 0 && evidence >= best - SAME);
  const whole = likely.filter(
    ({ evidence, english }) => evidence >= EVIDENCE.least && evidence > english.length,
  );
  const reading = whole[0];
  const read = reading ? merged(reading, whole) : wordByWord(words, readings);
  // If a query has only function words, one of them is its topic.
  const terms = read.length > 0 ? read : words.map(asEnglish);
  return terms.flatMap((term) => (term.english.length > 0 ? [term] : unspaced(term)));
}

function asEnglish(word: string): TranslatedTerm {
  return { asked: word, english: [], language: null };
}

/** A query read in one language. */
interface Reading {
  language: Language;
  terms: TranslatedTerm[];
  evidence: number;
  /** English words that are not in the language. */
  english: string[];
}

function readAs(language: Language, words: readonly string[]): Reading {
  const reading: Reading = { language, terms: [], evidence: 0, english: [] };
  for (let at = 0; at < words.length; ) {
    const phrase = findPhrase(words, at, language);
    if (phrase) {
      reading.terms.push(phrase.term);
      reading.evidence += phrase.size * EVIDENCE.word;
      at += phrase.size;
      continue;
    }
    const word = words[at] ?? '';
    at += 1;
    const alsoEnglish = isEnglish(word) || (isTyped(word, language) && isRareEnglish(word));
    if (FOREIGN_STOP_WORDS[language].has(word)) {
      reading.evidence += alsoEnglish ? EVIDENCE.alsoEnglish : EVIDENCE.stopWord;
      continue;
    }
    const found = findWord(word, language, alsoEnglish);
    if (found) {
      reading.terms.push(...found.terms);
      if (!alsoEnglish) reading.evidence += found.evidence;
    } else {
      if (alsoEnglish) reading.english.push(word);
      reading.terms.push(asEnglish(word));
    }
  }
  return reading;
}

function findPhrase(
  words: readonly string[],
  at: number,
  language: Language,
): { term: TranslatedTerm; size: number } | undefined {
  for (let size = Math.min(LONGEST_PHRASE, words.length - at); size > 1; size -= 1) {
    const parts = words.slice(at, at + size);
    const asked = parts.join(' ');
    const typed = parts.every((word) => isTyped(word, language));
    if (typed && parts.every((word) => word.length === 1 || isEnglish(word))) continue;
    // People put spaces in pinyin and romaji wherever they like.
    const isJoined = typed && isUnspacedIn(language);
    const english = meaningsIn(find(isJoined ? parts.join('') : asked, language), language);
    if (english.length > 0) return { term: { asked, english, language }, size };
  }
  return undefined;
}

/** Finds a word, its base form, or its parts. */
function findWord(
  word: string,
  language: Language,
  alsoEnglish: boolean,
): { terms: TranslatedTerm[]; evidence: number } | undefined {
  const typed = isTyped(word, language);
  if (!typed && isUnspacedIn(language)) return undefined;
  // A word that is also English counts for another script only in the dictionaries' spelling.
  const asWritten = typed && alsoEnglish;
  const entry = asWritten ? findEntry(word) : find(word, language);
  const exact = meaningsIn(entry, language);
  const sure = exact.length > 0 && !entry?.guesses.has(language);
  const form = asWritten || exact.length === MOST_MEANINGS ? [] : formOf(word, language);
  const [first, second] = sure ? [exact, form] : [form, exact];
  const english = [...first, ...scaled(second, LIKENESS.next)].slice(0, MOST_MEANINGS);
  if (english.length > 0) {
    const isShort = typed && word.length < SHORTEST_FORM;
    const isRespelled = plainSpelling(word, language) !== word;
    const whole = isRespelled ? EVIDENCE.respelled : EVIDENCE.word;
    const evidence = isShort ? EVIDENCE.alsoEnglish : sure ? whole : EVIDENCE.form;
    return { terms: [{ asked: word, english: distinct(english), language }], evidence };
  }
  if (alsoEnglish || !isCompounding(language) || word.length < SHORTEST_COMPOUND) return undefined;
  if (spellingCorrections(word).length > 0) return undefined;
  const parts = splitForeign(word, language);
  if (parts === undefined) return undefined;
  const terms = parts.map(({ text, english }) => ({
    asked: text,
    english: likenessesOf(english, LIKENESS.part),
    language,
  }));
  return { terms, evidence: EVIDENCE.compound };
}

function formOf(word: string, language: Language): Translation[] {
  if (word.length < SHORTEST_FORM) return [];
  for (const lemma of lemmasOf(word, language)) {
    const english = meaningsIn(findEntry(lemma), language, LIKENESS.form);
    if (english.length > 0) return english;
  }
  return [];
}

function scaled(meanings: readonly Translation[], factor: number): Translation[] {
  return meanings.map(({ text, likeness }) => ({ text, likeness: likeness * factor }));
}

function distinct(meanings: readonly Translation[]): Translation[] {
  return meanings.filter(
    ({ text }, at) => meanings.findIndex((other) => other.text === text) === at,
  );
}

/** Merges the meanings from languages that read the query alike; shared meanings come first. */
function merged(first: Reading, readings: readonly Reading[]): TranslatedTerm[] {
  return first.terms.map((term) => {
    const same = readings.flatMap(({ terms }) => terms.filter(({ asked }) => asked === term.asked));
    return same.length < 2 ? term : { ...term, english: mergedMeanings(same) };
  });
}

function mergedMeanings(terms: readonly TranslatedTerm[]): Translation[] {
  const votes = new Map<string, { likeness: number; count: number }>();
  for (const { english } of terms) {
    for (const { text, likeness } of english) {
      const known = votes.get(text) ?? { likeness: 0, count: 0 };
      votes.set(text, { likeness: Math.max(likeness, known.likeness), count: known.count + 1 });
    }
  }
  return [...votes]
    .sort(([, a], [, b]) => b.count - a.count || b.likeness - a.likeness)
    .slice(0, MOST_MEANINGS)
    .map(([text, { likeness }]) => ({ text, likeness }));
}

/** Translates the non-English words of a mostly English query. */
function wordByWord(words: readonly string[], readings: readonly Reading[]): TranslatedTerm[] {
  const best = Math.max(...readings.map(({ evidence }) => evidence));
  const likely = readings.filter(({ evidence }) => evidence >= best - SAME);
  const joining = likely.filter(({ evidence }) => evidence >= EVIDENCE.least);
  return words.flatMap((word): TranslatedTerm[] => {
    const english = isEnglish(word);
    if (
      !STOP_WORDS.has(word) &&
      joining.some(({ language }) => FOREIGN_STOP_WORDS[language].has(word))
    )
      return [];
    const asked = asEnglish(word);
    if (english || (isLatin(word) && word.length < SHORTEST_AMONG_ENGLISH)) return [asked];
    const found = likely
      .filter(({ language }) => !FOREIGN_STOP_WORDS[language].has(word))
      .flatMap(({ terms }) => terms.filter((term) => term.asked === word))
      .filter((term) => term.english.length > 0);
    const [first] = found;
    if (first === undefined) return [asked];
    return [{ ...first, english: mergedMeanings(found) }];
  });
}

/** Splits Chinese and Japanese, which are written without spaces. */
function unspaced(term: TranslatedTerm): TranslatedTerm[] {
  if (!isUnspaced(term.asked)) return [term];
  const segments = segmentUnspaced(term.asked);
  return segments.map(({ text, english, language }) => ({
    asked: text,
    english: likenessesOf(english, segments.length > 1 ? LIKENESS.part : 1),
    language: english.length > 0 ? language : null,
  }));
}

function looksEnglish(word: string): boolean {
  if (STOP_WORDS.has(word)) return true;
  if (!isLatin(word)) return false;
  const entry = findEntry(word);
  if (entry?.english) return true;
  // A foreign dictionary's word is English if an English dictionary also has it. A guess does not count.
  const isForeign = [...(entry?.meanings.keys() ?? [])].some(
    (language) => !entry?.guesses.has(language) && !OTHER_SCRIPTS.has(language),
  );
  const rank = wordList().rankOf(word);
  if (rank === undefined) return false;
  if (isForeign && word.length > 2) return isInDictionary(word);
  const singular = word.replace(/s$/, '');
  const isPlural = singular !== word && findEntry(singular)?.english === true;
  return rank < RARE_ENGLISH || isPlural;
}

function isRareEnglish(word: string): boolean {
  return wordList().rankOf(word) !== undefined && isInDictionary(word);
}

/** Returns whether a word is typed in Latin letters although its language has another script. */
function isTyped(word: string, language: Language): boolean {
  return OTHER_SCRIPTS.has(language) && isLatin(word);
}

/** Chinese and Japanese have spaces between words only in Latin letters. */
function isUnspacedIn(language: Language): boolean {
  return language === 'ja' || language === 'zh';
}

function find(text: string, language: Language): DictionaryEntry | undefined {
  return findEntry(plainSpelling(text, language));
}

function meaningsIn(
  entry: DictionaryEntry | undefined,
  language: Language,
  factor: number = 1,
): Translation[] {
  const english = entry?.meanings.get(language) ?? [];
  return likenessesOf(english, factor * (entry?.guesses.has(language) ? LIKENESS.guess : 1));
}

function likenessesOf(english: readonly string[], factor: number): Translation[] {
  return english.slice(0, MOST_MEANINGS).map((text, at) => ({
    text,
    likeness: LIKENESS.first * LIKENESS.next ** at * factor,
  }));
}
