// Builds the search dictionaries from open data. Run it when a source or a rule here changes:
//   node --import tsx scripts/language-data/make-dictionaries.mjs [kinds]
// With `kinds`, it only rebuilds what is based on our own words, using the other dictionaries as they are. Otherwise it
// fetches npm packages and, with apt-get, Debian packages. Its output is committed; NOTICE.md next to it has the
// licenses.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { OTHER_SCRIPTS } from '../../shared/market/search/language/dictionary.ts';
import { foldText } from '../../shared/market/search/language/text-analysis.ts';
import { main, projectRoot, say } from '../lib/project.mjs';
import { readChinese } from './chinese.mjs';
import { DictionaryBuilder } from './dictionary-file.mjs';
import { readEmoji } from './emoji.mjs';
import { isEnglish, withHeads } from './english.mjs';
import { readJapanese } from './japanese.mjs';
import { readKindNames } from './kind-names.mjs';
import { readLatinSpellings } from './latin-spellings.mjs';
import { createTradeOrder, readTradeNames } from './trade-names.mjs';
import { readWikdict } from './wikdict.mjs';

const folder = path.join(projectRoot, 'shared/market/search/language/data');
const EUROPEAN = ['de', 'es', 'fr', 'it', 'nl', 'pt', 'ru'];

await main(async () => {
  await mkdir(folder, { recursive: true });
  if (process.argv[2] === 'kinds') {
    writeKinds();
    return;
  }

  const orderByTrade = createTradeOrder();
  const order = (language, word, english) => orderByTrade(language, word, withHeads(english));

  const tradeNames = readTradeNames();
  const phrases = new Set(
    tradeNames
      .filter(({ word, isName }) => isName && word.includes(' '))
      .map(({ language, word }) => `${language} ${word}`),
  );
  const european = new DictionaryBuilder();
  for (const language of EUROPEAN) {
    for (const [word, english] of readWikdict(language)) {
      // OpenStreetMap's own names for businesses are more reliable.
      if (phrases.has(`${language} ${foldText(word)}`)) continue;
      european.add(language, word, order(language, word, english));
    }
  }
  write(european, 'wikdict');

  const chinese = new DictionaryBuilder();
  const { words, signs, variants } = await readChinese();
  for (const { word, english, reading } of words) {
    chinese.add('zh', word, order('zh', word, english));
    if (reading) chinese.addReading('zh', word, reading);
  }
  for (const [sign, reading] of signs) chinese.addReading('zh', sign, reading);
  for (const [sign, other] of variants) chinese.addVariant(sign, other);
  write(chinese, 'cc-cedict');

  const japanese = new DictionaryBuilder();
  for (const { word, english, reading } of readJapanese()) {
    japanese.add('ja', word, order('ja', word, english));
    if (reading) japanese.addReading('ja', word, reading);
  }
  write(japanese, 'edict');

  const trades = new DictionaryBuilder();
  const others = { zh: chinese, ja: japanese };
  for (const { language, word, english, isName } of tradeNames) {
    if (word.split(' ').every(isEnglish)) continue;
    // A mere search term of a business is a guess, used only if no dictionary has the word.
    if (isName) trades.add(language, word, english);
    else if (!(others[language] ?? european).has(language, word)) {
      trades.add(language, word, english, '?');
    }
  }
  write(trades, 'trades');

  writeKinds();

  const emoji = (await readEmoji()).map(([sign, keywords]) => `${sign}\t${keywords.join('|')}\n`);
  await writeFile(path.join(folder, 'emoji.tsv'), emoji.sort().join(''));
  say(`emoji: ${emoji.length}`);
});

function writeKinds() {
  const kinds = new DictionaryBuilder();
  for (const { language, word, english, latin } of readKindNames()) {
    if (latin) kinds.addReading(language, word, latin);
    // In a language that uses Latin letters, a word that is also English is read as English.
    if (OTHER_SCRIPTS.has(language) || !word.split(' ').every(isEnglish)) {
      kinds.add(language, word, english);
    }
  }
  // Spellings derived from an open dictionary are under its license.
  const byLicense = { zh: new DictionaryBuilder(), ja: new DictionaryBuilder() };
  for (const { language, word, english } of readLatinSpellings()) {
    (byLicense[language] ?? kinds).add(language, word, english);
  }
  write(kinds, 'kinds');
  write(byLicense.zh, 'pinyin');
  write(byLicense.ja, 'romaji');
}

function write(dictionary, name) {
  const { words, bytes, packed } = dictionary.write(path.join(folder, `${name}.tsv.gz`));
  const kb = (count) => `${Math.round(count / 1_000)} kB`;
  say(`${name}: ${words} words, ${kb(bytes)}, ${kb(packed)} packed`);
}
