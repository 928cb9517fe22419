import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { rarenessOf, usefulEnglish } from './english.mjs';
import { debianFile } from './sources.mjs';

/** The dictionaries' codes for our languages. */
const LANGUAGES = {
  de: 'deu',
  es: 'spa',
  fr: 'fra',
  it: 'ita',
  nl: 'nld',
  pt: 'por',
  ru: 'rus',
};
/** The language pairs in the release; none goes directly from one of our languages to English. */
const PAIRS = new Set(
  `deu-bul deu-ell deu-fin deu-fra deu-ind deu-pol deu-rus deu-spa ell-eng ell-fra ell-ita ell-jpn ell-nld ell-por
   ell-rus ell-spa eng-bul eng-fin eng-ind eng-jpn eng-nor fin-deu fin-eng fin-fra fin-ita fin-jpn fin-nld fin-por
   fra-bul fra-deu fra-ell fra-fin fra-ita fra-jpn fra-pol fra-por fra-rus fra-spa ita-bul ita-ell ita-fin ita-ind
   ita-jpn ita-nor ita-pol ita-por ita-rus ita-spa nld-bul nld-ell nld-fin nld-ind nld-ita nld-pol nld-por nld-rus
   nld-spa pol-deu pol-eng pol-fra pol-ita pol-jpn pol-nld pol-por pol-rus pol-spa por-fra por-spa swe-deu swe-fra
   swe-ita swe-jpn swe-nld swe-por swe-rus swe-spa`.split(/\s+/),
);
const PIVOTS = ['pol', 'fin', 'ell', 'bul', 'jpn', 'nor', 'ind'];
/** The score of a translation through one pivot language, and of one where both sides give the word the same sense. */
const WORTH = { pivot: 1, sense: 2 };
/** A match through a single pivot language may be a coincidence. */
const LEAST = 2;

/**
 * Returns words of a language with their English translations, most likely first: `[word, [english, ...]]`. Finds them
 * through third languages: `Blume` through its Polish and Finnish translations and what those are in English.
 */
export function readWikdict(language) {
  const scores = new Map();
  for (const pivot of PIVOTS) addThrough(pivot, LANGUAGES[language], scores);
  const translations = new Map();
  for (const [pair, { pivots, senses }] of scores) {
    const score = WORTH.pivot * pivots.size + WORTH.sense * senses.size;
    if (score < LEAST) continue;
    const [word, english] = pair.split('\t');
    const useful = usefulEnglish(english);
    if (useful === undefined) continue;
    const known = translations.get(word) ?? new Map();
    known.set(useful, Math.max(score, known.get(useful) ?? 0));
    translations.set(word, known);
  }
  return [...translations].map(([word, known]) => {
    const best = Math.max(...known.values());
    const sure = [...known].filter(([, score]) => score >= best / 2);
    sure.sort(([a, x], [b, y]) => y - x || rarenessOf(a) - rarenessOf(b));
    return [word, sure.map(([english]) => english)];
  });
}

function addThrough(pivot, language, scores) {
  const toWord = readPair(`${pivot}-${language}`);
  const fromWord = readPair(`${language}-${pivot}`);
  const toEnglish = readPair(`${pivot}-eng`);
  const fromEnglish = readPair(`eng-${pivot}`);
  const count = (word, english, kind) => {
    const key = `${word}\t${english}`;
    const score = scores.get(key) ?? { pivots: new Set(), senses: new Set() };
    scores.set(key, score);
    score[kind].add(pivot);
  };
  const english = groupBy([
    ...toEnglish.map(({ word, translation }) => [word, translation]),
    ...fromEnglish.map(({ word, translation }) => [translation, word]),
  ]);
  for (const { word, translation } of toWord) {
    for (const each of english.get(word) ?? []) count(translation, each, 'pivots');
  }
  for (const { word, translation } of fromWord) {
    for (const each of english.get(translation) ?? []) count(word, each, 'pivots');
  }
  const bySense = groupBy(
    toEnglish
      .filter(({ sense }) => sense !== '')
      .map(({ word, translation, sense }) => [`${word}\t${sense}`, translation]),
  );
  for (const { word, translation, sense } of toWord) {
    for (const each of bySense.get(`${word}\t${sense}`) ?? []) count(translation, each, 'senses');
  }
}

function groupBy(pairs) {
  const groups = new Map();
  for (const [key, value] of pairs) groups.set(key, (groups.get(key) ?? new Set()).add(value));
  return groups;
}

const read = new Map();

/** Returns all translations of a language pair: word, translation, and the sentence that explains the sense. */
function readPair(pair) {
  if (!PAIRS.has(pair)) return [];
  if (!read.has(pair)) read.set(pair, parsePair(pair));
  return read.get(pair);
}

function parsePair(pair) {
  const entries = [];
  for (const lines of readArticles(pair)) {
    const [head = '', ...body] = lines;
    const word = plain(head.replace(/\s+\/.*$/, '').replace(/\s*<[^>]*>\s*$/, ''));
    const add = (line, sense) => {
      for (const part of line.split(/[,;]\s*/)) {
        const translation = plain(part.replace(/\([^)]*\)|\[[^\]]*\]|\/[^/]*\//g, ''));
        // A hyphen at the start or end marks a prefix or suffix.
        if (
          translation !== '' &&
          translation.length < 40 &&
          ![word, translation].some((each) => /^-|-$/.test(each))
        ) {
          entries.push({ word, translation, sense });
        }
      }
    };
    const isNumbered = (line) => /^\d+\. /.test(line ?? '');
    const numbered = body.some(isNumbered);
    for (const [at, line] of body.entries()) {
      if (at > 0 && !(numbered && isNumbered(line))) continue;
      const next = body[at + 1];
      add(line.replace(/^\d+\. /, ''), next && !isNumbered(next) ? next : '');
    }
  }
  return entries;
}

const plain = (text) =>
  text
    .normalize('NFD')
    .replace(/([\u0400-\u04ff])[\u0300\u0301]/g, '$1')
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
    .replace(/^to (?=.)/, '');

/** Yields the articles of a dictionary in the dictd format, each as an array of lines. */
function* readArticles(pair) {
  const name = `dict-freedict-${pair}`;
  const base = debianFile(name, `usr/share/dictd/freedict-${pair}`);
  if (!existsSync(`${base}.index`)) throw new Error(`${path.basename(base)} is not in ${name}`);
  const text = gunzipSync(readFileSync(`${base}.dict.dz`));
  const seen = new Set();
  for (const line of readFileSync(`${base}.index`, 'utf8').split('\n')) {
    const [word, offset, length] = line.split('\t');
    if (length === undefined || word.startsWith('00') || seen.has(offset)) continue;
    seen.add(offset);
    const from = dictNumber(offset);
    yield text
      .toString('utf8', from, from + dictNumber(length))
      .split('\n')
      .map((each) =>
        each
          .trim()
          .replace(/^\d+\.$/, '')
          .replace(/\s+\d+\.$/, ''),
      )
      .filter((each) => each !== '');
  }
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const dictNumber = (text) =>
  Array.from(text).reduce((number, digit) => number * 64 + DIGITS.indexOf(digit), 0);
