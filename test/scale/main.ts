import { parseArgs } from 'node:util';
import pg from 'pg';
import { createTestDatabase } from '../support/database.ts';
import { readStoreStatements } from '../support/store-statements.ts';
import { exampleValues } from './example-values.ts';
import { givenHistory } from './history.ts';
import { isExplainable, type StatementPlan, StatementPlanner } from './statement-plan.ts';
import { readLargeTables, readTableSizes, type TableSize } from './table-sizes.ts';

/** Rows from which on a table is large. */
const LARGE = 20_000;
/** Of the planner: what it thinks takes some ten milliseconds. */
const COST_LIMIT = 5_000;
const SLOWEST = 25;
/** A statement that takes longer is told without its time. */
const PATIENCE_MS = 30_000;

const { values } = parseArgs({
  options: {
    partners: { type: 'string', default: '1000' },
    orders: { type: 'string', default: '1000000' },
    events: { type: 'string', default: '5000000' },
  },
});
const size = {
  partners: Number(values.partners),
  orders: Number(values.orders),
  events: Number(values.events),
};
if (!Object.values(size).every((count) => Number.isSafeInteger(count) && count > 0)) {
  process.stderr.write('--partners, --orders and --events take whole numbers above 0\n');
  process.exit(2);
}

/** What recording, delivering and settling an order leaves for ever. */
const ORDER_TABLES = [
  'orders',
  'order_timeline',
  'transfers',
  'ledger_entries',
  'ledger_postings',
  'settlement_lines',
];

const database = await createTestDatabase();
const client = new pg.Client(database.url);
await client.connect();
try {
  const now = new Date();
  const started = performance.now();
  await givenHistory(client, size, now, (table) => process.stderr.write(`filling ${table} ...\n`));
  print(`\nFilled in ${Math.round((performance.now() - started) / 1_000)} s.`);
  const sizes = await readTableSizes(client);
  printSizes(sizes);
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
  const perOrder = ordered.reduce((sum, { bytes }) => sum + bytes, 0) / size.orders;
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
