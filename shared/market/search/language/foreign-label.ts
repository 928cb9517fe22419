import { findEntry, type Language, OTHER_SCRIPTS } from './dictionary.ts';
import { lemmasOf } from './inflections.ts';
import { plainSpelling, romanizations } from './romanize.ts';
import type { Segment } from './segment-label.ts';
import { segmentUnspaced } from './segment-unspaced.ts';
import { splitForeign } from './split-foreign.ts';
import { isLatin, isUnspaced } from './text-analysis.ts';
import { wordList } from './word-list.ts';

/** Shorter pieces of a label match dictionary words by chance. */
const SHORTEST_WORD = 4;
const SHORTEST_TYPED = 6;
const SHORTEST_COMPOUND = 10;
const LONGEST = 40;
const MOST_MEANINGS = 4;
/** The number of meanings by which to index a word of a label. */
const MEANINGS_EACH = 2;
/** A word of the English list with at least this rank may be from another language. */
const RARE_ENGLISH = 30_000;

/**
 * Translates a folded piece of a label that is not a common English word: `panaderia` is `bakery`. Empty for English
 * and unknown words. Takes about 30 microseconds for a made-up name.
 */
export function translateLabelWord(piece: string): string[] {
  if (piece.length > LONGEST) return [];
  if (isUnspaced(piece)) {
    return distinct(segmentUnspaced(piece).flatMap(({ english }) => english.slice(0, 2)));
  }
  if (piece.length < SHORTEST_WORD || isCommonEnglish(piece)) return [];
  const languages = languagesOf(piece);
  const typed = isLatin(piece) && piece.length >= SHORTEST_TYPED ? OTHER_SCRIPTS : [];
  const meanings = [...languages, ...typed].map((language) => meaningsOf(piece, language));
  if (meanings.some((english) => english.length > 0)) {
    const ranked = Array.from({ length: MEANINGS_EACH }, (_, at) =>
      meanings.flatMap((english) => english.slice(at, at + 1)),
    );
    return distinct(ranked.flat());
  }
  if (piece.length < SHORTEST_COMPOUND) return [];
  return distinct(languages.flatMap((language) => compoundMeanings(piece, language)));
}

/** Returns the meanings of a compound, unless all its parts are also English: `motifscene`. */
function compoundMeanings(piece: string, language: Language): string[] {
  const parts = splitForeign(piece, language) ?? [];
  if (parts.every(({ text }) => findEntry(text)?.english)) return [];
  return parts.flatMap(({ english }) => english.slice(0, 1));
}

/** Returns the meanings of a word or its base form, or a guess if no dictionary has either. */
function meaningsOf(piece: string, language: Language): readonly string[] {
  const entry = findEntry(plainSpelling(piece, language));
  const exact = entry?.meanings.get(language) ?? [];
  // Inflected forms of other scripts in Latin letters are too many to try.
  const isTyped = isLatin(piece) && OTHER_SCRIPTS.has(language);
  if (isTyped || (exact.length > 0 && !entry?.guesses.has(language))) return exact;
  for (const lemma of lemmasOf(piece, language)) {
    const form = findEntry(lemma);
    const english = form?.guesses.has(language) ? undefined : form?.meanings.get(language);
    if (english) return english;
  }
  return exact;
}

function languagesOf(piece: string): readonly Language[] {
  if (isLatin(piece)) return ['de', 'nl', 'es', 'fr', 'it', 'pt'];
  return [/\p{sc=Arabic}/u.test(piece) ? 'ar' : /\p{sc=Devanagari}/u.test(piece) ? 'hi' : 'ru'];
}

function isCommonEnglish(piece: string): boolean {
  return isLatin(piece) && (wordList().rankOf(piece) ?? RARE_ENGLISH) < RARE_ENGLISH;
}

/** A word of the English list with at least this rank is too rare to prove that a label is English. */
const COMMON_ENGLISH = 12_000;

/**
 * Returns more words to index a label by: translations of it or its foreign pieces, and its spelling in Latin letters.
 * Folded; empty for a label of common English words.
 */
export function foreignLabelWords(label: string, pieces: readonly Segment[]): string[] {
  if (pieces.every(({ text, known }) => known && isCommon(text))) return [];
  const whole = translateLabelWord(label);
  const english = whole.length > 0 ? whole : pieces.flatMap(({ text }) => translateLabelWord(text));
  const latin = romanizedForms(label);
  return [...new Set([...latin, ...english.flatMap((each) => each.split(' '))])];
}

function isCommon(piece: string): boolean {
  return !isLatin(piece) || (wordList().rankOf(piece) ?? 0) < COMMON_ENGLISH;
}

function distinct(english: readonly string[]): string[] {
  return [...new Set(english)].slice(0, MOST_MEANINGS);
}

/**
 * Returns the spellings of a non-Latin word in Latin letters, the usual one first: `moskva` for Cyrillic, pinyin for
 * Chinese, rōmaji for Japanese, the dictionary's for Arabic. Empty for Latin words.
 */
export function romanizedForms(word: string): string[] {
  if (isLatin(word) || word.length > LONGEST) return [];
  const bySigns = romanizations(word);
  if (bySigns.length > 0) return bySigns;
  if (!isUnspaced(word)) return [readingOf(word, 'ar')].filter((reading) => reading !== '');
  const all = (['zh', 'ja'] as const).flatMap((language) => {
    const reading = readingIn(word, language);
    if (reading === undefined) return [];
    return language === 'ja' ? [shortVowels(reading), reading] : [reading];
  });
  return [...new Set(all)].filter(isLatin);
}

/** Returns the reading of the whole word, of its parts, or of their characters; undefined if a part has none. */
function readingIn(word: string, language: Language): string | undefined {
  const ofSigns = (text: string) => Array.from(text, (sign) => readingOf(sign, language)).join('');
  const whole = readingOf(word, language);
  if (whole !== '') return whole;
  const readings = segmentUnspaced(word).map(({ text }) => {
    const reading = romanizations(text)[0] ?? readingOf(text, language);
    return reading === '' && language === 'zh' ? ofSigns(text) : reading;
  });
  return readings.length > 0 && readings.every((reading) => reading !== '')
    ? readings.join('')
    : undefined;
}

function readingOf(text: string, language: Language): string {
  return findEntry(text)?.readings.get(language) ?? '';
}

/** 東京 is written Tokyo, although it is read tōkyō. */
function shortVowels(reading: string): string {
  return reading.replace(/ou/g, 'o').replace(/uu/g, 'u').replace(/oo/g, 'o');
}
