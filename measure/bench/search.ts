import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { importListings } from '../../shared/market/inventory/import-listings.ts';
import { createEmbeddings } from '../../shared/market/search/embeddings/embeddings.ts';
import { HOUR } from '../../shared/platform/clock.ts';
import { createTestRuntime, type TestRuntime } from '../../test/support/runtime.ts';
import { inventoryLines } from '../support/search-inventory.ts';
import { preparePlainFullText } from './support/plain-full-text.ts';

/** The numbers of names to search; a smaller one can be requested for a quick check. */
const SIZES = [10_000, 100_000, 1_000_000];
const SEARCHER = 'measure/bench/support/search-process.ts';

const wanted = process.argv.slice(2).map((size) => Number(size.replaceAll('_', '')));
if (wanted.some((size) => !Number.isSafeInteger(size) || size < 1)) {
  process.stderr.write('usage: bench:search [number of names ...]\n');
  process.exit(2);
}
for (const size of wanted.length > 0 ? wanted : SIZES) await benchSearch(size);

/** Imports the names in one streamed run, then searches them in a process like an API process. */
async function benchSearch(size: number): Promise<void> {
  const runtime = await createTestRuntime({ DATABASE_POOL_SIZE: '10', SEARCH_ENCODER: 'on' });
  try {
    say(`\n${size.toLocaleString('en-US')} names`);
    const started = performance.now();
    let told = 0;
    await importListings(runtime, {
      environment: 'LIVE',
      source: Readable.from(inventoryLines(size)),
      format: 'ndjson',
      onProgress: ({ inserted }) => {
        const share = Math.floor((10 * inserted) / size);
        if (share > told && size >= 100_000) process.stderr.write(` ${share}0 %`);
        told = Math.max(told, share);
      },
    });
    if (size >= 100_000) process.stderr.write('\n');
    const seconds = (performance.now() - started) / 1_000;
    say(`  listing:import       ${seconds.toFixed(1)} s, ${Math.round(size / seconds)} names/s`);
    const embeddings = createEmbeddings(runtime);
    const encoding = performance.now();
    let embedded = 0;
    for (let more = 1; more > 0; embedded += more) {
      more = (await embeddings.refresh(AbortSignal.timeout(HOUR)))?.embedded ?? 0;
    }
    await embeddings.close();
    const encoded = (performance.now() - encoding) / 1_000;
    say(
      `  vectors              ${encoded.toFixed(1)} s, ${Math.round(embedded / encoded)} names/s`,
    );
    await preparePlainFullText(runtime);
    // Postgres' background work after such an import is not part of a search.
    for (const work of ['vacuum (analyze)', 'checkpoint']) await runtime.db.knex.raw(work);
    for (const { name, bytes } of await sizesOf(runtime)) {
      say(`  ${name.padEnd(20)} ${(bytes / 2 ** 20).toFixed(1)} MB`);
    }
    await measure(runtime);
  } finally {
    await runtime.stop();
  }
}

async function sizesOf({ db }: TestRuntime): Promise<{ name: string; bytes: number }[]> {
  const { rows } = await db.knex.raw<{ rows: { name: string; bytes: number }[] }>(`
    select case when c.relname = 'listing_embeddings' then 'vectors'
        when i.indrelid = 'listing_embeddings'::regclass then 'vectors index'
        when i.indexrelid is null then 'documents'
        when i.indisprimary then 'primary key'
        else string_agg(a.attname, ', ') || case when i.indpred is null then '' else ' (made up)' end
          || ' index' end as name,
      pg_relation_size(c.oid) as bytes
    from pg_class c
    left join pg_index i on i.indexrelid = c.oid
    left join pg_attribute a on a.attrelid = c.oid and i.indexrelid is not null
    where 'search_documents_live'::regclass in (c.oid, i.indrelid)
      or 'listing_embeddings'::regclass in (c.oid, i.indrelid)
    group by c.oid, c.relname, i.indexrelid, i.indrelid, i.indisprimary, i.indpred is null
    order by bytes desc`);
  return rows;
}

/** Runs in a separate process, to measure memory and start-up of search alone. The process prints its results. */
async function measure(runtime: TestRuntime): Promise<void> {
  const child = spawn(process.execPath, ['--import', 'tsx', SEARCHER], {
    env: { ...process.env, ...runtime.env },
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${SEARCHER} ended with ${code}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
