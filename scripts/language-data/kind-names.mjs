import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { foldText } from '../../shared/market/search/language/text-analysis.ts';

const sources = path.join(import.meta.dirname, 'sources');
/** Kinds of business and other commerce words, in each language. */
const folders = ['translations', 'words'].map((each) => path.join(sources, each));

/**
 * Returns the names of our kinds of business and other commerce words in other languages: `{ language, word, english,
 * latin }`, where `latin` is the spelling in Latin letters, if given. Skips names that are also English (crypto).
 */
export function readKindNames() {
  const english = readEnglishNames();
  const files = folders.flatMap((folder) =>
    readdirSync(folder).map((file) => path.join(folder, file)),
  );
  return files.flatMap((file) => {
    const language = path.basename(file, '.txt');
    return linesOf(file).flatMap((line) => {
      const [kind, text] = line.split('\t');
      const words = text.split(', ').filter((word) => !english.has(foldText(word)));
      return words.map((word, at) => ({
        language,
        word,
        english: [kind],
        latin: at === 0 && latinOf(language, words),
      }));
    });
  });
}

/** Arabic omits vowels, so the Latin spelling of a word can't be derived; our files list it. */
function latinOf(language, [first, ...others]) {
  if (language !== 'ar' || /^[a-z]/.test(first)) return undefined;
  return others.find((word) => /^[a-z]+$/.test(word));
}

const linesOf = (file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes('\t') && !line.startsWith('#'));

/** Returns the English names of kinds of business, and each of their words. */
function readEnglishNames() {
  const lines = readFileSync(path.join(sources, 'kinds.txt'), 'utf8').split('\n');
  return new Set(
    lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .flatMap((line) => line.split(' | ').slice(0, 2).join(', ').split(', '))
      .map(foldText)
      .flatMap((name) => [name, ...name.split(' ')]),
  );
}
