import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import type { TestRuntime } from '../../test/support/runtime.ts';
import { type Figure, median, reachesGoal, shareOfLimit } from './figures.ts';
import { withTable } from './figures-table.ts';

const DOCUMENT = new URL('../../docs/benchmarks.md', import.meta.url);

/** When, of which commit and on what figures are measured. */
export interface Surroundings {
  measured: string;
  /** Cores, processor and memory. */
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

/** Puts the figures of a whole run into docs/benchmarks.md; `found` has them by their benchmarks. */
export function writeFigures(
  { measured, machine, versions }: Surroundings,
  found: ReadonlyMap<string, readonly Figure[]>,
): void {
  const rows = [...found].flatMap(([benchmark, figures]) =>
    figures.map((figure) => `|\`${benchmark}\`|${toRow(figure)}|`),
  );
  const lines = [
    `One run on one machine: ${machine}; ${measured}; ${versions}.`,
    '',
    '|Benchmark|What|Ours|The same work with nothing around it|Share|Goal|',
    '|---|---|---|---|---|---|',
    ...rows,
  ];
  writeFileSync(DOCUMENT, withTable(readFileSync(DOCUMENT, 'utf8'), lines));
}

function toRow(figure: Figure): string {
  const { name, unit, ours, limit, limitName } = figure;
  const cells = [
    // What the work consists of is told below the table.
    name.replace(/ \(.*\)$/, ''),
    `${spread(ours)} ${unit}`,
    `${number(median(limit))}: ${limitName}`,
    shareOf(figure),
    goalOf(figure).replace(/^, goal /, ''),
  ];
  return cells.join('|');
}

const shareOf = (figure: Figure) => shareOfLimit(figure).toFixed(2);

function goalOf(figure: Figure): string {
  const { goal, unit } = figure;
  if (!goal) return '';
  const aim = 'most' in goal ? `at most ${number(goal.most)} ${unit}` : String(goal.share);
  return `, goal ${aim}: ${reachesGoal(figure) ? 'reached' : 'missed'}`;
}

function number(value: number): string {
  return (value < 10 ? Math.round(value * 10) / 10 : Math.round(value)).toLocaleString('en-US');
}

function spread(values: readonly number[]): string {
  return `${number(median(values))} (${number(Math.min(...values))}–${number(Math.max(...values))})`;
}
