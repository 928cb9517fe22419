// Makes the data files of search from open data: word vectors, cells.
// Run it when a source or a rule here changes; its output is committed, so that nothing is fetched where search runs.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeCells } from './language-data/cells.mjs';
import { stemVectors } from './language-data/stem-vectors.mjs';
import { main, projectRoot, say } from './lib/project.mjs';

const folder = path.join(projectRoot, 'shared/market/search/language/data');

await main(async () => {
  await mkdir(folder, { recursive: true });
  const { lexicon, vectors, unit, weightOf } = await stemVectors();
  await writeFile(path.join(folder, 'lexicon.txt'), lexicon);
  await writeFile(path.join(folder, 'vectors.bin'), vectors);
  say('Word vectors are written.');
  await writeFile(path.join(folder, 'cells.bin'), makeCells(unit, weightOf));
  say('Cells are written.');
});
