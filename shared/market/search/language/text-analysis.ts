import { isAdjective } from './lexicon.ts';
import { stem } from './stem.ts';

/** Letters that Unicode does not decompose, with their common plain spellings. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  ς: 'σ',
  // Arabic as typed casually, and the letters of Persian keyboards.
  ...{ ى: 'ي', ی: 'ي', ة: 'ه', ک: 'ك', ء: '' },
};
/** Accents, Arabic vowel signs, hamzas and tatweel, the Hindi nukta, and joiners and variation selectors. */
const MARKS = /[\u0300-\u036f\u0640\u064b-\u065f\u0670\u093c]|\u200c|\u200d|\ufe0e|\ufe0f/g;
/** Hindi signs usually written as a dot: the nasal before a consonant (हिन्दी), and the chandrabindu. */
const NASAL = /[ङञणनम]\u094d(?=[क-घच-झट-ढत-धप-भ])|\u0901/g;

/** Returns the normal form of text in the index and in queries: lower case, no accents, words between single spaces. */
export function foldText(text: string): string {
  if (/^[a-z0-9]+(?: [a-z0-9]+)*$/.test(text)) return text;
  // Fast path: most names are plain ASCII, and an import folds millions of texts.
  if (/^[\x20-\x7e]*$/.test(text)) {
    return text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, ' ')
      .trim();
  }
  return text
    .normalize('NFKD')
    .replace(MARKS, '')
    .normalize('NFC')
    .toLowerCase()
    .normalize('NFKD')
    .replace(MARKS, '')
    .normalize('NFC')
    .replace(/[ßøłđðþæœıςىیةکء]/g, (letter) => PLAIN_LETTERS[letter] ?? letter)
    .replace(NASAL, '\u0902')
    .replace(/[٠-٩۰-۹०-९]/g, (digit) => String((digit.charCodeAt(0) - (digit < '०' ? 0 : 6)) & 15))
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim();
}

/** Returns whether all letters of a text are English, without accents. */
export function isPlain(text: string): boolean {
  return !/(?![a-z])\p{L}/iu.test(text);
}

/** Returns the folded words of a text; none for an empty one. */
export function wordsOf(text: string): string[] {
  const folded = foldText(text);
  return folded === '' ? [] : folded.split(' ');
}

export function isLatin(word: string): boolean {
  return /^[a-z0-9]+$/.test(word);
}

/** Scripts written without spaces: words are found by pairs of characters. */
const UNSPACED =
  /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー々\p{M}]+$/u;

export function isUnspaced(word: string): boolean {
  return UNSPACED.test(word);
}

/**
 * Returns n-grams by which any part of a non-Latin word finds it: pairs for scripts without spaces, otherwise trigrams.
 * None for Latin words.
 */
export function ngramsOf(word: string): string[] {
  if (isLatin(word)) return [];
  const signs = Array.from(word);
  const size = isUnspaced(word) ? 2 : 3;
  const grams = new Set<string>();
  for (let at = 0; at + size <= signs.length; at += 1) {
    grams.add(signs.slice(at, at + size).join(''));
  }
  return [...grams];
}

/** Words without meaning in a query, unless it has no others. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  wordsIn(`
  a about an and any are as at be by can could do for from get good great has have how i in into is it
  its just let like looking make me my need needs nice of on or our please should some someone something that the their them
  there these this to us want we what where which who will with would you your domain domains name names
  named naming website websites site sites com www http https`),
);

/** What a business is, what it is like (`lucky` in `lucky dice`), or words that say little. */
export type TermRole = 'topic' | 'describing' | 'generic';

/** Stems of words that say little about a business, though more than stop words. */
const GENERIC_STEMS = new Set(
  wordsIn(`
  product item goods stuff lover fan idea list page portal about agency all app apps area best better between both brand business buy buying choose companies
  company compare corp create every everyone find firm free good great group help helper ideal inc llc
  maker manage my new now offer one online people perfect place platform professional provider quality
  rate sell seller selling sending service services shop software solution solutions start startup store
  studio system systems team tool tools top track tracking use web work world`).map(stem),
);

export function roleOf(word: string): TermRole {
  if (GENERIC_STEMS.has(stem(word))) return 'generic';
  return /^\d+$/.test(word) || isAdjective(word) ? 'describing' : 'topic';
}

function wordsIn(text: string): string[] {
  return text.trim().split(/\s+/);
}
