import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import type { TestRuntime } from '../../support/runtime.ts';
import { type Figure, median, reachesGoal, shareOfLimit } from './figures.ts';
import { writeReadmeFigures } from './readme-figures.ts';

const DOCUMENT = new URL('../../../docs/benchmarks.md', import.meta.url);
const [BEGIN, END] = ['<!-- figures: begin -->', '<!-- figures: end -->'];

/** Where and on what the figures were measured. */
export async function describeMachine({ db, redis }: TestRuntime): Promise<string[]> {
  const { rows } = await db.knex.raw('show server_version');
  const redisVersion = /^redis_version:(.*)$/m.exec(await redis.info('server'))?.[1]?.trim();
  const [cpu] = cpus();
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const changed =
    git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' with changes';
  return [
    `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, commit ${git('rev-parse', '--short', 'HEAD')}${changed}`,
    `${cpus().length} cores of ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${release()}`,
    `Node ${process.versions.node}, Postgres ${rows[0].server_version}, Redis ${redisVersion}`,
  ];
}

/** A readable table on standard output: medians, their spread, and the share of the limit. */
export function printFigures(machine: readonly string[], figures: readonly Figure[]): void {
  process.stdout.write(`\n${machine.join('\n')}\n`);
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

/** Puts the figures into docs/benchmarks.md and README.md, in the place of the last ones. */
export function writeFigures(machine: readonly string[], figures: readonly Figure[]): void {
  const text = readFileSync(DOCUMENT, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error('docs/benchmarks.md has no place for the figures');
  const block = [
    BEGIN,
    ...machine.map((line) => `- ${line}`),
    '',
    '| What | Ours | Limit | Share | Goal | CPU, ours / limit |',
    '| --- | --- | --- | --- | --- | --- |',
    ...figures.map(toRow),
    '',
  ].join('\n');
  writeFileSync(DOCUMENT, text.slice(0, begin) + block + text.slice(end));
  if (!writeReadmeFigures(figures)) {
    process.stderr.write('README.md keeps its figures: not all of them were measured\n');
  }
}

function toRow(figure: Figure): string {
  const { name, unit, ours, limit, limitName, cpu } = figure;
  const each = cpu ? `${number(median(cpu.ours))} / ${number(median(cpu.limit))} µs` : '';
  const cells = [
    name,
    `${spread(ours)} ${unit}`,
    `${spread(limit)} ${unit}: ${limitName}`,
    shareOf(figure),
    goalOf(figure).replace(/^, goal /, ''),
    each,
  ];
  return `| ${cells.join(' | ')} |`;
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
