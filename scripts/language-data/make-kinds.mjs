// Makes the table of the kinds of business from what is written of them. Run it when kinds.txt or a rule changes:
//   node --import tsx scripts/language-data/make-kinds.mjs
// Its output is committed, so that a process that searches has it at once.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { encodeKinds } from '../../shared/market/search/business/kinds-table.ts';
import { parseKinds } from '../../shared/market/search/business/parse-kinds.ts';
import { main, projectRoot, say } from '../lib/project.mjs';

const folder = path.join(projectRoot, 'shared/market/search/business');

await main(async () => {
  const table = parseKinds(await readFile(path.join(folder, 'kinds.txt'), 'utf8'));
  await writeFile(path.join(folder, 'kinds.bin'), encodeKinds(table));
  say(`${table.names.length} kinds of business are written.`);
});
