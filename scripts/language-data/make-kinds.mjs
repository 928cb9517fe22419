// Builds the table of kinds of business from their descriptions. Run it when kinds.txt, needs.txt.gz or a rule changes:
//   node --import tsx scripts/language-data/make-kinds.mjs
// It takes about ten minutes, since it encodes names and needs phrase by phrase. Its output is committed, so that
// search has it at startup.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createSentenceEncoder } from '../../shared/market/search/embeddings/sentence-encoder.ts';
import { bytesOf, unitLength } from '../../shared/market/search/embeddings/vector.ts';
import { encodeKinds, VECTOR_SIZE } from '../../shared/market/search/kinds/kinds-table.ts';
import { main, projectRoot, say } from '../lib/project.mjs';
import { parseKinds } from './parse-kinds.ts';

const sources = path.join(import.meta.dirname, 'sources');
const folder = path.join(projectRoot, 'shared/market/search/kinds');

await main(async () => {
  const text = await readFile(path.join(sources, 'kinds.txt'), 'utf8');
  const needs = gunzipSync(await readFile(path.join(sources, 'needs.txt.gz'))).toString();
  const needsOf = new Map(linesOf(needs).map(([name, phrases]) => [name, phrases]));
  const encoder = createSentenceEncoder({ idleMs: Number.POSITIVE_INFINITY });
  const vectors = [];
  for (const [name, others] of linesOf(text)) {
    const phrases = [name, ...`${others}, ${needsOf.get(name)}`.split(', ')];
    vectors.push(bytesOf(mean(await encoder.embed(phrases)), VECTOR_SIZE));
  }
  await encoder.close();
  const table = parseKinds(text, new Int8Array(Buffer.concat(vectors)));
  await writeFile(path.join(folder, 'kinds.bin'), encodeKinds(table));
  say(`${table.names.length} kinds of business are written.`);
});

function linesOf(text) {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => line.split(' | '));
}

/** Returns the mean direction of vectors. */
function mean(vectors) {
  const sum = new Float64Array(vectors[0].length);
  for (const vector of vectors) {
    for (const [at, value] of vector.entries()) sum[at] += value;
  }
  return unitLength(sum);
}
