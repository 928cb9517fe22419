import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEPRECATIONS } from '../http/deprecation.ts';
import { asyncApiDocument } from './asyncapi-document.ts';
import { partnerDocument } from './partner-document.ts';
import { publicDocument } from './public-document.ts';

/** Writes the documents into the folder named on the command line, for tools that read files. */
const [, , folder = '.', baseUrl = 'https://market.example'] = process.argv;
const options = { baseUrl, deprecations: DEPRECATIONS };
mkdirSync(folder, { recursive: true });
for (const [name, document] of [
  ['openapi.json', publicDocument(options)],
  ['openapi-partner.json', partnerDocument(options)],
  ['asyncapi.json', asyncApiDocument(options)],
] as const) {
  writeFileSync(join(folder, name), JSON.stringify(document, null, 2));
}
