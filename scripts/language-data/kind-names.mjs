import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../lib/project.mjs';

const folder = path.join(projectRoot, 'shared/market/search/business/translations');

/** What our kinds of business are called in other languages: `{ language, word, english }`. */
export function readKindNames() {
  return readdirSync(folder).flatMap((file) => {
    const language = path.basename(file, '.txt');
    const lines = readFileSync(path.join(folder, file), 'utf8').split('\n');
    return lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .flatMap((line) => {
        const [kind, words] = line.split('\t');
        return words.split(', ').map((word) => ({ language, word, english: [kind] }));
      });
  });
}
