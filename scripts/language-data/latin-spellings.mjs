import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { plainSpelling } from '../../shared/market/search/language/romanize.ts';
import { foldText } from '../../shared/market/search/language/text-analysis.ts';
import { projectRoot } from '../lib/project.mjs';
import { isEnglish, rankOf } from './english.mjs';
import { readKindNames } from './kind-names.mjs';
import { romanizations, romanize } from './romanize.ts';

const data = path.join(projectRoot, 'shared/market/search/language/data');
const LANGUAGES = new Set(['hi', 'ja', 'ru', 'zh']);
/** Shorter spellings have too many meanings. */
const SHORTEST = 4;
/** Words up to this rank count as English even if dictionaries lack them: names, brands. */
const COMMON_ENGLISH = 20_000;
const LONGEST_WORD = 8;

/**
 * Returns how people type words of other scripts in Latin letters: `{ language, word, english }`. Covers the names of
 * kinds of business, and Chinese and Japanese commerce words. Skips spellings that look English.
 */
export function readLatinSpellings() {
  const names = readKindNames();
  const commerce = new Set(names.flatMap(({ english }) => english));
  const trades = readDictionary('trades').filter(({ isSure }) => isSure);
  const others = ['cc-cedict', 'edict']
    .flatMap(readDictionary)
    .filter(({ isSure, english: [first] }) => isSure && commerce.has(first))
    .map(({ english: [first], ...word }) => ({ ...word, english: [first] }));
  return [...names, ...trades, ...others]
    .filter(
      ({ language, word }) =>
        LANGUAGES.has(language) && (language === 'ja' || Array.from(word).length > 1),
    )
    .flatMap(({ language, word, english }) =>
      latinOf(foldText(word), language).map((latin) => ({
        language,
        word: plainSpelling(latin, language),
        english,
      })),
    )
    .filter(({ word }) => word.length >= SHORTEST && !looksEnglish(word));
}

const looksEnglish = (text) =>
  text.split(' ').every((word) => isEnglish(word) || rankOf(word) < COMMON_ENGLISH);

/** Readings of words, keyed by language and word. */
const readings = new Map();

/** Returns the words of a dictionary, `{ language, word, english, isSure }`, and adds its readings to `readings`. */
function readDictionary(name) {
  const lines = gunzipSync(readFileSync(path.join(data, `${name}.tsv.gz`)))
    .toString()
    .split('\n');
  return lines.flatMap((line) => {
    const [word, ...fields] = line.split('\t');
    return fields.flatMap((field) => {
      const [, language, mark, text] = /^(\w\w)([:?=])(.*)$/.exec(field) ?? [];
      if (mark === '=') readings.set(`${language} ${word}`, text);
      if (mark === undefined || mark === '=') return [];
      return [{ language, word, english: text.split('|'), isSure: mark === ':' }];
    });
  });
}

function latinOf(text, language) {
  const words = text.split(' ').map((word) => {
    if (/^[a-z0-9]+$/.test(word)) return word;
    return language === 'ru' || language === 'hi'
      ? romanizations(word)[0]
      : readingOf(word, language);
  });
  if (/^[a-z0-9 ]+$/.test(text) || words.includes(undefined)) return [];
  return [words.join(language === 'ru' || language === 'hi' ? ' ' : '')];
}

/** Reads a text by the longest words with a known reading; returns undefined if a character has none. */
function readingOf(text, language) {
  if (text === '') return '';
  const signs = Array.from(text);
  for (let size = Math.min(LONGEST_WORD, signs.length); size > 0; size -= 1) {
    const word = signs.slice(0, size).join('');
    const reading =
      readings.get(`${language} ${word}`) ?? (language === 'ja' ? romanize(word) : undefined);
    const rest = reading && readingOf(signs.slice(size).join(''), language);
    if (rest !== undefined) return reading + rest;
  }
  return undefined;
}
