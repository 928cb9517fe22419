import { createReadStream } from 'node:fs';
import { SingleBar } from 'cli-progress';
import { Type } from 'typebox';
import { recordAudit } from '../../../shared/audit/record-audit.ts';
import { type ImportCounts, importListings } from '../../../shared/inventory/import-listings.ts';
import { opsAction } from '../action.ts';
import { EnvironmentField } from '../actions/fields.ts';
import { MAX_REJECTIONS, sizeOfFile } from './input-file.ts';

export const listingImport = opsAction({
  name: 'listing:import',
  summary: 'List every domain of a CSV or NDJSON file; running it again changes nothing more',
  input: Type.Object({
    environment: EnvironmentField,
    file: Type.String({
      description:
        'CSV with a header, or NDJSON: domain, price_cents, currency, floor_price_cents, description, category, keywords.',
    }),
  }),
  async run(context, { environment, file }) {
    await sizeOfFile(file);
    const format = /\.(ndjson|jsonl|json)$/i.test(file) ? 'ndjson' : 'csv';
    const source = createReadStream(file);
    const bar = progressBar(await countLines(file));
    const rejections: { line: number; reason: string }[] = [];
    let counts: ImportCounts;
    try {
      counts = await importListings(context, {
        environment,
        source,
        format,
        onProgress: (soFar, line) => bar.update(line, { ...soFar }),
        onRejected: (row) => {
          if (rejections.length < MAX_REJECTIONS) rejections.push(row);
        },
      });
    } finally {
      bar.stop();
      source.destroy();
    }
    await context.db.transact((tx) =>
      recordAudit(
        tx,
        {
          actor: context.actor,
          action: 'listing:import',
          subject: environment,
          after: { file, ...counts },
        },
        context.clock.now(),
      ),
    );
    return { ...counts, ...(rejections.length > 0 && { rejections }) };
  },
});

/** Bytes that were read say too much: the file is read ahead of what is written. */
async function countLines(file: string): Promise<number> {
  let lines = 1;
  for await (const chunk of createReadStream(file)) {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  }
  return lines;
}

/** On standard error, and only where a person is looking. */
function progressBar(lines: number): SingleBar {
  const bar = new SingleBar({
    format:
      '{bar} {percentage}% | {inserted} inserted, {updated} updated, {unchanged} unchanged, {rejected} rejected',
    stream: process.stderr,
    noTTYOutput: false,
    hideCursor: true,
    clearOnComplete: true,
  });
  if (!process.argv.includes('--json')) {
    bar.start(lines, 0, { inserted: 0, updated: 0, unchanged: 0, rejected: 0 });
  }
  return bar;
}
