import { FAULT_RUNS } from './fault-runs.ts';
import type { FaultRun, Tally, Trial } from './trial.ts';

export interface Finished {
  run: FaultRun;
  trial: Trial;
  seconds: number;
}

const COLUMNS: readonly [title: string, of: keyof Tally][] = [
  ['events', 'events'],
  ['received', 'received'],
  ['again', 'duplicates'],
  ['ordered', 'ordered'],
  ['lost', 'lost'],
  ['orders', 'orders'],
  ['entries', 'entries'],
  ['pushes', 'pushes'],
  ['sum', 'sum'],
];

/** Prints a Markdown table to standard output, with a row for each fault run and all its seeds added up. */
export function printTable(finished: readonly Finished[]): void {
  const runs = FAULT_RUNS.filter((run) => finished.some((each) => each.run === run));
  const rows = [
    ['run', 'seeds', ...COLUMNS.map(([title]) => title), 'recovery', 'time', 'verdict'],
    ...runs.map((run) =>
      rowOf(
        run,
        finished.filter((each) => each.run === run),
      ),
    ),
  ];
  const widths =
    rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows.map(line);
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  process.stdout.write(`${[head, rule, ...body].join('\n')}\n`);
}

function rowOf(run: FaultRun, finished: readonly Finished[]): string[] {
  const sumOf = (name: keyof Tally) => {
    const values = finished.flatMap(({ trial }) => trial.tally[name] ?? []);
    return values.length === 0 ? '' : String(values.reduce((sum, value) => sum + value, 0));
  };
  const recoveries = finished.flatMap(({ trial }) => trial.recoveryMs ?? []);
  const worst = recoveries.length === 0 ? '' : `${(Math.max(...recoveries) / 1_000).toFixed(1)} s`;
  const seconds = finished.reduce((sum, each) => sum + each.seconds, 0);
  const failed = finished.filter(({ trial }) => trial.failures.length > 0).length;
  return [
    run.id,
    String(finished.length),
    ...COLUMNS.map(([, name]) => sumOf(name)),
    worst,
    `${seconds.toFixed(0)} s`,
    failed === 0 ? 'held' : `FAILED ${failed}`,
  ];
}
