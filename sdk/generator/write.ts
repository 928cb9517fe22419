import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from './generate.ts';

/** Generates the files from the document named on the command line. */
const [, , documentFile = ''] = process.argv;
const sdk = fileURLToPath(new URL('../', import.meta.url));
for (const [file, text] of Object.entries(
  generate(JSON.parse(readFileSync(documentFile, 'utf8'))),
)) {
  writeFileSync(join(sdk, file), text);
}
