import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { foldText } from '../../shared/market/search/language/text-analysis.ts';
import { projectRoot } from '../lib/project.mjs';

const folder = path.join(projectRoot, 'shared/market/search/business');
const translations = path.join(folder, 'translations');

/**
 * What our kinds of business are called in other languages: `{ language, word, english }`. What they are called in
 * English as well (crypto) is left out.
 */
export function readKindNames() {
  const english = readEnglishNames();
  return readdirSync(translations).flatMap((file) => {
    const language = path.basename(file, '.txt');
    const lines = readFileSync(path.join(translations, file), 'utf8').split('\n');
    return lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .flatMap((line) => {
        const [kind, words] = line.split('\t');
        return words
          .split(', ')
          .filter((word) => !english.has(foldText(word)))
          .map((word) => ({ language, word, english: [kind] }));
      });
  });
}

/** The names of kinds of business, and each of their words. */
function readEnglishNames() {
  const lines = readFileSync(path.join(folder, 'kinds.txt'), 'utf8').split('\n');
  return new Set(
    lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .flatMap((line) => line.split(' | ').slice(0, 2).join(', ').split(', '))
      .map(foldText)
      .flatMap((name) => [name, ...name.split(' ')]),
  );
}
