import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import type { TestRuntime } from '../../support/runtime.ts';
import { type Figure, median, reachesGoal, shareOfLimit } from './figures.ts';
import { writeTable } from './figures-table.ts';

const DOCUMENT = new URL('../../../docs/benchmarks.md', import.meta.url);

/** When, of which commit and on what figures are measured. */
export interface Surroundings {
  measured: string;
  /** Cores and processor: rows of different machines stand in one table. */
  machine: string;
  /** Of Node and the services. */
  versions: string;
}

/** Asks the services for their versions, and git for the commit. */
export async function describeSurroundings({ db, redis }: TestRuntime): Promise<Surroundings> {
  const { rows } = await db.knex.raw('show server_version');
  const redisVersion = /^redis_version:(.*)$/m.exec(await redis.info('server'))?.[1]?.trim();
  const [cpu] = cpus();
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const changed =
    git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' with changes';
  const measured = `${new Date().toISOString().slice(0, 10)}, ${git('rev-parse', '--short', 'HEAD')}${changed}`;
  const model = cpu?.model
    .replace(/\(R\)|\(TM\)|Processor/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  const machine = `${cpus().length} cores of ${model}, ${Math.round(totalmem() / 2 ** 30)} GB`;
  const versions = `Node ${process.versions.node}, Postgres ${rows[0].server_version}, Redis ${redisVersion}, ${process.platform}`;
  return { measured, machine, versions };
}

/** A readable table on standard output: medians, their spread, and the share of the limit. */
export function printFigures(
  { measured, machine, versions }: Surroundings,
  figures: readonly Figure[],
): void {
  process.stdout.write(`\n${[measured, machine, versions].join('\n')}\n`);
  for (const figure of figures) {
    const { name, unit, ours, limit, limitName, cpu } = figure;
    const lines = [
      '',
      name,
      `  ours   ${spread(ours)} ${unit}`,
      `  limit  ${spread(limit)} ${unit}   (${limitName})`,
      `  share  ${shareOf(figure)}${goalOf(figure)}`,
    ];
    if (cpu) lines.push(`  cpu    ${spread(cpu.ours)} us each, limit ${spread(cpu.limit)} us`);
    process.stdout.write(`${lines.join('\n')}\n`);
  }
}

/** Puts a benchmark's figures into docs/benchmarks.md, in the place of its last ones; `benchmarks` are the names of all, in order. */
export function writeFigures(
  { measured, machine, versions }: Surroundings,
  benchmarks: readonly string[],
  benchmark: string,
  figures: readonly Figure[],
): void {
  const key = (name: string) => `\`${name}\` |`;
  const rows = figures.map(
    (figure) => `| ${key(benchmark)} ${toRow(figure, `${measured}, ${machine}`)}`,
  );
  const heading = [
    `${versions}. Only figures of one run are to be compared: machines differ.`,
    '',
    '| Benchmark | What | Ours | Limit | Share | Goal | CPU, ours / limit | Measured |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
  ];
  writeTable(DOCUMENT, heading, benchmarks.map(key), new Map([[key(benchmark), rows]]));
}

function toRow(figure: Figure, measured: string): string {
  const { name, unit, ours, limit, limitName, cpu } = figure;
  const each = cpu ? `${number(median(cpu.ours))} / ${number(median(cpu.limit))} µs` : '';
  const cells = [
    name,
    `${spread(ours)} ${unit}`,
    `${spread(limit)} ${unit}: ${limitName}`,
    shareOf(figure),
    goalOf(figure).replace(/^, goal /, ''),
    each,
    measured,
  ];
  return `${cells.join(' | ')} |`;
}

const shareOf = (figure: Figure) => shareOfLimit(figure).toFixed(2);

function goalOf(figure: Figure): string {
  const { goal, unit } = figure;
  if (!goal) return '';
  const aim = 'most' in goal ? `at most ${number(goal.most)} ${unit}` : `at least ${goal.share}`;
  return `, goal ${aim}: ${reachesGoal(figure) ? 'reached' : 'missed'}`;
}

function number(value: number): string {
  return (value < 10 ? Math.round(value * 10) / 10 : Math.round(value)).toLocaleString('en-US');
}

function spread(values: readonly number[]): string {
  return `${number(median(values))} (${number(Math.min(...values))} to ${number(Math.max(...values))})`;
}
