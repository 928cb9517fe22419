import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../../../db/seeds/random.ts';
import { createEmbeddings } from '../../../shared/market/search/embeddings/embeddings.ts';
import { searchListings } from '../../../shared/market/search/search-listings.ts';
import { loadConfig } from '../../../shared/platform/config/config.ts';
import { createRuntime } from '../../../test/support/runtime.ts';
import { inParallel } from '../../support/figures.ts';
import { searchQueries } from '../../support/search-queries.ts';
import { PLAIN_SEARCH } from './plain-full-text.ts';

// Searches like an API process and prints latency, cost and memory.

/** A process runs for days, so its connections have mapped all pages they read. */
const WARM_UP = 2_000;
/** Searches per block of one kind: single alternating ones would profit from each other's CPU cache. */
const BLOCK = 100;
const QUERIES = 1_600;
const ARRIVALS_PER_SECOND = 100;

const runtime = createRuntime(loadConfig(), { process: 'bench-search' });
await runtime.ready();
await runtime.db.knex.raw('select 1');

const embeddings = createEmbeddings(runtime);
const search = (query: string) =>
  searchListings({ ...runtime, embeddings }, { environment: 'LIVE', query });
/** Postgres alone: all words must match; the best five by ts_rank. */
const plain = (query: string) => runtime.db.knex.raw(PLAIN_SEARCH.replace('$1', '?'), [query]);
const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

const memory = () => process.memoryUsage().rss;
const before = memory();
const first = await timed(() => search('neon walet'));
const [warmUp, queries] = [searchQueries(WARM_UP), searchQueries(WARM_UP + QUERIES).slice(WARM_UP)];
const others = searchQueries(WARM_UP + 2 * QUERIES).slice(WARM_UP + QUERIES);
// Every connection of the pool plans its own statements.
await inParallel(WARM_UP, 8, async (at) => void (await search(warmUp[at] ?? '')));

const [ours, theirs]: [number[], number[]] = [[], []];
for (let from = 0; from < QUERIES; from += BLOCK) {
  const block = queries.slice(from, from + BLOCK);
  for (const query of block) ours.push(await timed(() => search(query)));
  for (const query of block) theirs.push(await timed(() => plain(query)));
}
report('one at a time', ours, 'queries that were not asked before');
report('plain full text', theirs);
const again: number[] = [];
for (const query of queries) again.push(await timed(() => search(query)));
report('asked again', again);
const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
print(
  'ratio to plain',
  `mean ${(mean(ours) / mean(theirs)).toFixed(2)}   p50 ${(at(ours, 0.5) / at(theirs, 0.5)).toFixed(2)}   p99 ${(at(ours, 0.99) / at(theirs, 0.99)).toFixed(2)}`,
);

/** Eight in parallel; returns searches per second. */
async function throughput(
  name: string,
  work: (query: string) => Promise<unknown>,
  asked = queries,
): Promise<number> {
  const together: number[] = [];
  const started = performance.now();
  await inParallel(QUERIES, 8, async (index) => {
    together.push(await timed(() => work(asked[index] ?? '')));
  });
  const perSecond = (QUERIES * 1_000) / (performance.now() - started);
  report(name, together, `${Math.round(perSecond)} searches/s`);
  return perSecond;
}

await throughput('eight at once, new', search, others);
const known = await throughput('eight, asked again', search);
const plainRate = await throughput('the same, plain', plain);
print('throughput to plain', (known / plainRate).toFixed(2));

report('100 arrivals/s', await openLoop());
print(
  'first search',
  `${Math.round(first)} ms, with words, synonyms and kinds of business to load`,
);
print(
  'memory',
  `${((memory() - before) / 2 ** 20).toFixed(0)} MB more than before the first search`,
);
await embeddings.close();
await runtime.stop();

/** Poisson arrivals, independent of earlier responses. */
async function openLoop(): Promise<number[]> {
  const random = createRandom(5);
  const pending: Promise<number>[] = [];
  const begin = performance.now();
  let due = 0;
  for (const query of queries) {
    due += (-Math.log(1 - random.next()) / ARRIVALS_PER_SECOND) * 1_000;
    const late = due - (performance.now() - begin);
    if (late > 1) await sleep(late);
    pending.push(timed(() => search(query)));
  }
  return Promise.all(pending);
}

function report(name: string, values: readonly number[], more = ''): void {
  const told = [0.5, 0.95, 0.99, 1].map(
    (share) => `${share === 1 ? 'max' : `p${share * 100}`} ${at(values, share).toFixed(1)}`,
  );
  print(name, `${told.join('   ')} ms   ${more}`);
}

function at(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

function print(name: string, text: string): void {
  process.stdout.write(`  ${name.padEnd(20)} ${text.trimEnd()}\n`);
}
