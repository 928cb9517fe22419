import pg from 'pg';
import { createTestDatabase } from '../../test/support/database.ts';
import { readStoreStatements } from '../../test/support/store-statements.ts';
import { readArguments } from '../support/arguments.ts';
import { describeSurroundings } from '../support/report.ts';
import { exampleValues } from './example-values.ts';
import { givenHistory } from './history/history.ts';
import { writeRouteFigures } from './route-figures.ts';
import { createMarketplace, timeEverything } from './routes.ts';
import { isExplainable, type StatementPlan, StatementPlanner } from './statement-plan.ts';
import { readLargeTables, readTableSizes, type TableSize } from './table-sizes.ts';
import type { Timing } from './timer.ts';

/** The row count from which a table is large. */
const LARGE = 20_000;
/** The planner cost limit: about ten milliseconds. */
const COST_LIMIT = 5_000;
const SLOWEST = 25;
const EVENTS_PER_ORDER = 5;
/** A statement that takes longer is reported without a time. */
const PATIENCE_MS = 30_000;

const USAGE = `npm run scale -- [--partners n] [--orders n] [--events n] [--routes [--calls n] [--write]]

Fills a database with a year of trade and looks at every statement of the stores there; with --routes, calls every
route of the service --calls times, and with --write keeps the times in docs/route-times.csv.`;

const { values } = readArguments(USAGE, {
  options: {
    partners: { type: 'string', default: '1000' },
    orders: { type: 'string', default: '1000000' },
    events: { type: 'string' },
    routes: { type: 'boolean', default: false },
    calls: { type: 'string', default: '150' },
    write: { type: 'boolean', default: false },
  },
});
const size = {
  partners: Number(values.partners),
  orders: Number(values.orders),
  events: Number(values.events ?? Number(values.orders) * EVENTS_PER_ORDER),
};
const counts = [...Object.values(size), Number(values.calls)];
if (!counts.every((count) => Number.isSafeInteger(count) && count >= 0) || size.partners === 0) {
  process.stderr.write('--partners, --orders, --events and --calls take whole numbers\n');
  process.exit(2);
}

/** Tables that grow forever with recording, delivering and settling an order. */
const ORDER_TABLES = [
  'orders',
  'order_timeline',
  'transfers',
  'ledger_entries',
  'ledger_postings',
  'settlement_lines',
];

if (values.routes) await lookAtRoutes();
else await lookAtStatements();

/** Reports how every store statement runs. */
async function lookAtStatements(): Promise<void> {
  const database = await createTestDatabase();
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    const now = new Date();
    await fill(client, now);
    await client.query(`set statement_timeout = ${PATIENCE_MS}; set jit = off`);
    const statements = await readStoreStatements();
    const planner = new StatementPlanner(client, statements, {
      large: await readLargeTables(client, LARGE),
      values: exampleValues(client, now),
    });
    const plans: StatementPlan[] = [];
    for (const each of statements.filter(isExplainable)) plans.push(await planner.run(each));
    printPlans(plans);
  } finally {
    await client.end();
    await database.drop();
  }
}

/** Reports how long every route, job and scheduled task takes. */
async function lookAtRoutes(): Promise<void> {
  const runtime = await createMarketplace();
  const client = new pg.Client(runtime.config.databaseUrl);
  await client.connect();
  try {
    const now = new Date();
    await fill(client, now);
    const { timings, failures } = await timeEverything(runtime, {
      calls: Number(values.calls),
      now,
      vacuum: () => client.query('vacuum analyze'),
      onStep: (name) => process.stderr.write(`${name}\n`),
    });
    printTimings(timings);
    if (failures.length > 0) {
      print('', 'Failed:', ...failures);
      process.exitCode = 1;
    } else if (values.write) {
      writeRouteFigures(timings, size.orders, await describeSurroundings(runtime));
    }
  } finally {
    await client.end();
    await runtime.stop();
  }
}

async function fill(client: pg.Client, now: Date): Promise<void> {
  const started = performance.now();
  await givenHistory(client, size, now, (table) => process.stderr.write(`filling ${table} ...\n`));
  print(`\nFilled in ${Math.round((performance.now() - started) / 1_000)} s.`);
  printSizes(await readTableSizes(client));
}

function printTimings(timings: readonly Timing[]): void {
  print('', '|Route or work|Calls|p50 ms|p99 ms|', '|---|--:|--:|--:|');
  for (const { group, name, calls, p50, p99 } of timings.toSorted((a, b) => b.p99 - a.p99)) {
    print(`|${group} ${name}|${count(calls)}|${p50.toFixed(1)}|${p99.toFixed(1)}|`);
  }
}

function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

function printSizes(sizes: readonly TableSize[]): void {
  print('', '|Table|Rows|Bytes a row|of these in indexes|MB|', '|---|---|---|---|---|');
  for (const { table, rows, bytes, indexBytes } of sizes.filter(({ rows }) => rows > 0)) {
    const each = Math.round(bytes / rows);
    const ofIndexes = Math.round(indexBytes / rows);
    print(`|\`${table}\`|${count(rows)}|${each}|${ofIndexes}|${megabytes(bytes)}|`);
  }
  const bytesOf = (...tables: string[]) =>
    sizes.reduce(
      (sum, { table, rows, bytes }) => (tables.includes(table) ? sum + bytes / rows : sum),
      0,
    );
  print(
    '',
    `A delivery with its attempt: ${Math.round(bytesOf('webhook_deliveries', 'webhook_attempts'))} bytes.`,
  );
  const ordered = sizes.filter(({ table }) => ORDER_TABLES.includes(table));
  const perOrder = ordered.reduce((sum, { bytes }) => sum + bytes, 0) / Math.max(1, size.orders);
  print(
    `An order in ${ORDER_TABLES.join(', ')}: ${Math.round(perOrder)} bytes; a million: ${(perOrder / 1e3).toFixed(2)} GB.`,
  );
}

function printPlans(plans: readonly StatementPlan[]): void {
  const told = ({ of, run, cost }: StatementPlan) =>
    `${of.file.replace('shared/', '')}: ${of.name}|${run ? `${run.ms.toFixed(1)} ms|${count(run.pages)}` : 'not run|'}|${count(Math.round(cost))}`;
  const head = ['|Statement|Time|Pages|Cost|', '|---|---|---|---|'];
  const scanning = plans.filter(({ scans }) => scans.length > 0);
  print(
    '',
    `Statements that read all of a large table: ${scanning.length} of ${plans.length}.`,
    '',
  );
  print('|Statement|Time|Pages|Cost|Reads all of|', '|---|---|---|---|---|');
  for (const plan of scanning) print(`|${told(plan)}|${plan.scans.join(', ')}|`);
  const dear = plans.filter(({ cost, scans }) => cost > COST_LIMIT && scans.length === 0);
  print('', `Others with a cost above ${count(COST_LIMIT)}: ${dear.length}.`, '', ...head);
  for (const plan of dear) print(`|${told(plan)}|`);
  const slowest = plans.toSorted((a, b) => (b.run?.ms ?? 0) - (a.run?.ms ?? 0)).slice(0, SLOWEST);
  print('', `The ${SLOWEST} slowest:`, '', ...head);
  for (const plan of slowest) print(`|${told(plan)}|`);
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

function megabytes(bytes: number): string {
  return count(Math.round(bytes / 1e6));
}
