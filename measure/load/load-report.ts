import { readFileSync, writeFileSync } from 'node:fs';
import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { withTable } from '../support/figures-table.ts';
import type { Surroundings } from '../support/report.ts';
import type { Cost } from './costs.ts';
import type { Stage } from './stages.ts';
import type { LateWork } from './work-latency.ts';

const DOCUMENT = new URL('../../docs/scaling.md', import.meta.url);
const PICTURE = new URL('../../docs/pictures/overload.svg', import.meta.url);

export interface LoadRun {
  surroundings: Surroundings;
  api: number;
  workers: number;
  /** Requests per second of a closed loop. */
  capacity: number;
  stages: readonly Stage[];
  /** Seconds after the overload until latency was normal again. */
  recovery: number;
  /** At three quarters of capacity. */
  late?: LateWork;
}

/** Writes a run to docs/scaling.md: the table, and the curve as a picture. */
export function writeLoad(run: LoadRun): void {
  writeFileSync(DOCUMENT, withTable(readFileSync(DOCUMENT, 'utf8'), table(run), 'load'));
  writeFileSync(PICTURE, picture(run));
}

/** The capacity of a number of API processes and as many workers. */
export interface Fleet {
  processes: number;
  perSecond: number;
  /** Requests per second of CPU time used by API, workers, Postgres and Redis. */
  perCore: number;
}

/** Writes the capacity by number of processes to docs/scaling.md. */
export function writeFleets({ machine, measured }: Surroundings, fleets: readonly Fleet[]): void {
  const [one] = fleets;
  const rows = fleets.map(({ processes, perSecond, perCore }) => {
    const change = Math.round((perCore / (one?.perCore ?? perCore) - 1) * 100);
    return `|${processes}|${Math.round(perSecond)}|${Math.round(perCore)}|${change}|`;
  });
  const lines = [
    `\`--processes ${fleets.map(({ processes }) => processes).join(',')}\`: ${machine}; ${measured}.`,
    '',
    '|Processes|Requests a second|Per core|Change %|',
    '|---|--:|--:|--:|',
    ...rows,
  ];
  writeFileSync(DOCUMENT, withTable(readFileSync(DOCUMENT, 'utf8'), lines, 'processes'));
}

/** Writes the cost of each kind of request to docs/scaling.md. */
export function writeCosts({ machine, measured }: Surroundings, costs: readonly Cost[]): void {
  const lines = [`${machine}; ${measured}.`, '', ...costRows(costs)];
  writeFileSync(DOCUMENT, withTable(readFileSync(DOCUMENT, 'utf8'), lines, 'costs'));
}

/** Returns the table of costs per kind of request, and the work that some kinds cause. */
export function costRows(costs: readonly Cost[]): string[] {
  const rows = costs.map(({ name, api, workers, postgres, redis, ...counts }) => {
    const micros = [api, workers, postgres, redis, api + workers + postgres + redis];
    const { logBytes, commits, pagesRead } = counts;
    const cells = [
      ...micros.map((each) => (each / 1_000).toFixed(2)),
      Math.round(logBytes),
      commits.toFixed(1),
      Math.round(pagesRead),
    ];
    return `|${[name, ...cells].join('|')}|`;
  });
  return [
    '|Request|API ms|Workers ms|Postgres ms|Redis ms|Together ms|Log bytes|Commits|Pages read|',
    '|---|--:|--:|--:|--:|--:|--:|--:|--:|',
    ...rows,
    ...costs.flatMap(workBroughtBy),
  ];
}

/** Returns a sentence on the worker jobs a kind of request causes; none if it causes none. */
function workBroughtBy({ name, deliveries, jobs }: Cost): string[] {
  const runs = Object.entries(jobs)
    .map(([job, count]) => ({ job, count: count.toFixed(1) }))
    .filter(({ count }) => count !== '0.0')
    .map(({ job, count }) => `\`${job}\` ${count}`);
  if (runs.length === 0) return [];
  return [
    '',
    `Work of a request of ${name}: ${deliveries.toFixed(1)} deliveries; jobs ${runs.join(', ')}.`,
  ];
}

function lateWorkIn({ transfers, firstAttempts }: LateWork): string {
  const ms = (seconds: number) => `${Math.round(seconds * 1_000)} ms`;
  return ` At 75 %, 99 of 100 transfers start within ${ms(transfers)}, and 99 of 100 events are sent within ${ms(firstAttempts)}.`;
}

function table(run: LoadRun): string[] {
  const { surroundings, api, workers, capacity, stages, recovery, late } = run;
  const { machine, measured } = surroundings;
  const rows = stages.map(({ share, perSecond, taken, shed, failed, p50, p99, p999 }) => {
    const cells = [perSecond, taken, shed, failed, p50, p99, p999].map((value) =>
      Math.round(value).toLocaleString('en-US'),
    );
    return `|${Math.round(share * 100)} %|${cells.join('|')}|`;
  });
  return [
    `API processes: ${api}, workers: ${workers}; ${machine}; ${measured}. Capacity: ${Math.round(capacity)} requests a second. Recovered within ${recovery} s.${late ? lateWorkIn(late) : ''}`,
    '',
    '|Load|Due a second|Taken a second|Shed|Failed|p50 ms|p99 ms|p99.9 ms|',
    '|---|--:|--:|--:|--:|--:|--:|--:|',
    ...rows,
  ];
}

// In SVG units.
const WIDTH = 660;
const HEIGHT = 260;
const PANEL = { left: 52, right: 300, top: 40, bottom: 214 };
const SECOND_PANEL = 328;
const [INK, GRID, FIRST, SECOND] = ['#8a8f98', '#8a8f9844', '#3b82f6', '#f59e0b'];

interface Curve {
  title: string;
  color: string;
  dashed?: boolean;
  values: readonly number[];
}

/** Draws two panels over the load: accepted against due requests, and the 99th percentile of accepted ones. */
function picture({ stages }: LoadRun): string {
  const loads = stages.map(({ share }) => share * 100);
  const due = { title: 'due', color: INK, dashed: true, values: stages.map((s) => s.perSecond) };
  const taken = { title: 'taken', color: FIRST, values: stages.map((s) => s.taken) };
  const slow = { title: 'p99', color: SECOND, values: stages.map((s) => s.p99) };
  const text = `${panel('Requests a second', loads, [due, taken])}<g transform="translate(${SECOND_PANEL} 0)">${panel('Milliseconds until the answer', loads, [slow])}</g>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" fill="${INK}" role="img" aria-label="Requests taken and their 99th percentile, by load">${text}</svg>\n`;
}

function panel(title: string, loads: readonly number[], curves: readonly Curve[]): string {
  const { left, right, top, bottom } = PANEL;
  const x = scaleLinear([0, Math.max(...loads)], [left, right]);
  const highest = Math.max(...curves.flatMap(({ values }) => values));
  const y = scaleLinear([0, highest], [bottom, top]).nice(4);
  const grid = y
    .ticks(4)
    .map(
      (tick) =>
        `<path d="M${left} ${y(tick)}H${right}" stroke="${GRID}"/><text x="${left - 6}" y="${y(tick) + 4}" text-anchor="end">${tick.toLocaleString('en-US')}</text>`,
    )
    .join('');
  const below = x
    .ticks(5)
    .map((tick) => `<text x="${x(tick)}" y="${bottom + 18}" text-anchor="middle">${tick} %</text>`)
    .join('');
  const marks = curves.map((curve, at) => {
    const points = loads.map((load, index): [number, number] => [
      x(load),
      y(curve.values[index] ?? 0),
    ]);
    const label = `<text x="${right - 8 - 50 * at}" y="${top - 22}" text-anchor="end" fill="${curve.color}">${curve.title}</text>`;
    return `<path d="${line()(points)}" fill="none" stroke="${curve.color}" stroke-width="2"${curve.dashed ? ' stroke-dasharray="4 4"' : ''}/>${label}`;
  });
  return `<text x="${left}" y="${top - 22}" font-weight="600">${title}</text>${grid}${below}<text x="${(left + right) / 2}" y="${bottom + 36}" text-anchor="middle">load, of capacity</text>${marks.join('')}`;
}
