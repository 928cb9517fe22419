import { foldText } from '../../shared/market/search/language/text-analysis.ts';
import { isVulgar } from './english.mjs';
import { npmText } from './sources.mjs';

const SCHEMA = '@openstreetmap/id-tagging-schema';
/** Our languages and the schema's translations for each. */
export const TRADE_LANGUAGES = {
  ar: ['ar'],
  de: ['de'],
  es: ['es'],
  fr: ['fr'],
  hi: ['hi'],
  it: ['it'],
  ja: ['ja'],
  nl: ['nl'],
  pt: ['pt', 'pt-BR'],
  ru: ['ru'],
  zh: ['zh-CN'],
};
/** Kinds of places that are businesses or what one is about. */
const TRADES = /^(amenity|club|craft|healthcare|leisure|office|shop|sport|tourism)\//;
/** Words that only say that a place is there to buy or do something. */
const GENERIC = /(?:^| )(?:shop|store|office|facility|center|centre|company|dealer|place|agency)$/;
/** A search term that more kinds share is too vague to name any of them. */
const MOST_KINDS = 2;

/**
 * Returns names of businesses, `{ language, word, english, isName }`, from OpenStreetMap's kinds of places. Names
 * translate well; a search term (`isName` false) may just be related to the kind.
 */
export function readTradeNames() {
  const english = readKinds('en');
  const entries = [];
  for (const [language, files] of Object.entries(TRADE_LANGUAGES)) {
    const names = new Map();
    const terms = new Map();
    for (const file of files) {
      for (const [kind, { name = '', aliases = '', terms: told = '' }] of readKinds(file)) {
        const trade = tradeOf(english.get(kind)?.name);
        if (trade === undefined) continue;
        for (const each of [...name.split(' / '), ...aliases.split('\n')]) add(names, each, trade);
        for (const each of told.split(',')) add(terms, each, trade);
      }
    }
    for (const [word, trades] of names) entries.push(entry(language, word, trades, true));
    for (const [word, trades] of terms) {
      if (!names.has(word) && trades.size <= MOST_KINDS) {
        entries.push(entry(language, word, trades, false));
      }
    }
  }
  return entries;
}

const entry = (language, word, trades, isName) => ({
  language,
  word,
  english: [...trades],
  isName,
});

function add(map, text, trade) {
  const word = foldText(text);
  // A single Chinese character is too often part of another word.
  if (word.length < 2) return;
  map.set(word, (map.get(word) ?? new Set()).add(trade));
}

function readKinds(file) {
  const [{ presets }] = Object.values(
    JSON.parse(npmText(SCHEMA, `dist/translations/${file}.json`)),
  );
  return new Map(Object.entries(presets.presets).filter(([kind]) => TRADES.test(kind)));
}

/** Returns what a business is about: `bicycle` for `Bicycle Shop`. Undefined if that takes more than two words. */
function tradeOf(name = '') {
  const words = foldText(name).replace(GENERIC, '');
  return words !== '' && words.split(' ').length <= 2 && /^[a-z ]+$/.test(words) && !isVulgar(words)
    ? words
    : undefined;
}

/**
 * Creates a function that sorts a word's translations so that those used for businesses come first: for `seguro`,
 * "insurance" before "sure". It counts the kinds of business in which the word occurs with each translation.
 */
export function createTradeOrder() {
  const english = readKinds('en');
  const indexes = new Map(
    Object.entries(TRADE_LANGUAGES).map(([language, files]) => [language, indexOf(files, english)]),
  );
  return (language, word, translations) => {
    const kinds = indexes.get(language)?.get(foldText(word));
    if (kinds === undefined) return translations;
    const countOf = (text) =>
      kinds.filter((words) => text.split(' ').every((each) => words.has(each))).length;
    const counted = translations.map((text) => ({ text, count: countOf(text) }));
    return counted.sort((a, b) => b.count - a.count).map(({ text }) => text);
  };
}

/** Maps a language's words (or runs of characters, if it has no spaces) to the English words of their kinds. */
function indexOf(files, english) {
  const index = new Map();
  for (const file of files) {
    for (const [kind, { name = '', aliases = '', terms = '' }] of readKinds(file)) {
      const told = english.get(kind);
      if (told === undefined) continue;
      const words = new Set(
        foldText(`${told.name} ${told.aliases ?? ''} ${told.terms ?? ''}`).split(' '),
      );
      for (const each of [...words]) if (each.endsWith('s')) words.add(each.slice(0, -1));
      for (const token of new Set(tokensOf(foldText(`${name} ${aliases} ${terms}`)))) {
        index.set(token, [...(index.get(token) ?? []), words]);
      }
    }
  }
  return index;
}

const LONGEST_RUN = 5;

function tokensOf(text) {
  return text.split(' ').flatMap((word) => {
    if (!/^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー]+$/u.test(word)) return [word];
    const runs = [];
    for (let from = 0; from < word.length; from += 1) {
      for (let size = 1; size <= LONGEST_RUN && from + size <= word.length; size += 1) {
        runs.push(word.slice(from, from + size));
      }
    }
    return runs;
  });
}
