import { writeFileSync } from 'node:fs';
import { generatedPages } from './generated-pages.ts';

/** Writes the generated tables to the pages; with `--check`, only lists the pages that are out of date. */
const onlyCheck = process.argv.includes('--check');
const stale = generatedPages().filter(({ text, expected }) => text !== expected);
for (const { file, url, expected } of stale) {
  if (!onlyCheck) writeFileSync(url, expected);
  process.stdout.write(`${file}: ${onlyCheck ? 'out of date' : 'updated'}\n`);
}
if (onlyCheck && stale.length > 0) {
  process.stderr.write('Run `npm run docs` to update the generated tables.\n');
  process.exitCode = 1;
}
