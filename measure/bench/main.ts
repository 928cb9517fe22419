import path from 'node:path';
import { createTestRuntime } from '../../test/support/runtime.ts';
import { readArguments } from '../support/arguments.ts';
import type { Figure } from '../support/figures.ts';
import { describeSurroundings, printFigures, writeFigures } from '../support/report.ts';
import { benchAvailability } from './availability.ts';
import { benchBatch } from './batch.ts';
import { benchBulk } from './bulk.ts';
import { benchEvents } from './events.ts';
import { benchJobs } from './jobs.ts';
import { benchListings } from './listings.ts';
import { benchMail } from './mail.ts';
import { benchMemory } from './memory.ts';
import { benchOrders } from './orders.ts';
import { benchPages } from './pages.ts';
import { peersTable, writePeers } from './peers/peers-table.ts';
import { benchPeers } from './peers.ts';
import { benchRedirects } from './redirects.ts';
import { benchRelay } from './relay.ts';
import { benchDomainSearch } from './search-requests.ts';
import { benchSettlement } from './settlement.ts';
import { benchStartUp } from './start-up.ts';
import { benchStatements } from './statements.ts';
import { printShares } from './support/profile.ts';
import { writeReadmeFigures } from './support/readme-figures.ts';
import { setScale } from './support/settings.ts';
import { benchTokens } from './tokens.ts';
import { benchTools } from './tools.ts';
import { benchTransactions } from './transactions.ts';
import { benchWebhooks } from './webhooks.ts';

/** Every benchmark by name; `npm run bench -- orders` runs one. */
const BENCHMARKS: Record<string, () => Promise<Figure | Figure[]>> = {
  'start-up': benchStartUp,
  availability: benchAvailability,
  orders: benchOrders,
  tokens: benchTokens,
  tools: benchTools,
  batch: benchBatch,
  redirects: benchRedirects,
  memory: benchMemory,
  search: benchDomainSearch,
  webhooks: benchWebhooks,
  relay: benchRelay,
  jobs: benchJobs,
  mail: benchMail,
  bulk: benchBulk,
  events: benchEvents,
  listings: benchListings,
  transactions: benchTransactions,
  settlement: benchSettlement,
  statements: benchStatements,
  pages: benchPages,
};

/** The comparison with other libraries: a separate table, only on request. */
const PEERS = 'peers';

const USAGE = `npm run bench -- [${[...Object.keys(BENCHMARKS), PEERS].join(' | ')} ...] [--scale x] [--profile folder] [--write]

Measures what is named, or everything but ${PEERS}. --scale 0.1 makes large tables smaller, --profile keeps
profiles of the processor, and --write keeps the figures in the documentation.`;

const { values, positionals: wanted } = readArguments(USAGE, {
  allowPositionals: true,
  options: {
    write: { type: 'boolean' },
    scale: { type: 'string' },
    profile: { type: 'string' },
  },
});
if (values.profile !== undefined) process.env.BENCH_PROFILE = path.resolve(values.profile);
if (values.scale !== undefined) setScale(values.scale);
if (values.write && wanted.some((name) => name !== PEERS)) {
  process.stderr.write('--write needs a run of all benchmarks; nothing will be written\n');
}
const unknown = wanted.filter((name) => name !== PEERS && !(name in BENCHMARKS));
if (unknown.length > 0) {
  process.stderr.write(`there is no benchmark ${unknown.join(', ')}\n\n${USAGE}\n`);
  process.exit(2);
}
const runtime = await createTestRuntime();
const surroundings = await describeSurroundings(runtime);
await runtime.stop();
const byBenchmark = new Map<string, Figure[]>();
for (const [name, run] of Object.entries(BENCHMARKS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const started = performance.now();
  process.stderr.write(`measuring ${name} ...`);
  const found = [await run()].flat();
  byBenchmark.set(name, found);
  process.stderr.write(` ${Math.round((performance.now() - started) / 1_000)} s\n`);
}
const figures = [...byBenchmark.values()].flat();
// A table from several runs would mix incomparable figures.
if (values.write && wanted.length === 0) {
  writeFigures(surroundings, byBenchmark);
  writeReadmeFigures(surroundings, figures);
}
if (figures.length > 0) printFigures(surroundings, figures);
if (wanted.includes(PEERS)) {
  const lines = peersTable(surroundings, await benchPeers());
  if (values.write) writePeers(lines);
  process.stdout.write(`\n${lines.join('\n')}\n`);
}
if (values.profile !== undefined) printShares(path.resolve(values.profile));
