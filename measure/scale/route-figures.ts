import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { withTable } from '../support/figures-table.ts';
import type { Surroundings } from '../support/report.ts';
import type { Timing } from './timer.ts';

const DOCUMENT = new URL('../../docs/scaling.md', import.meta.url);
const FIGURES = new URL('../../docs/route-times.csv', import.meta.url);
const SLOWEST = 15;
const HEAD = 'group,name,orders,p50_ms,p99_ms';

/** A timing at a number of orders. */
type Figure = Timing & { orders: number };

/** Writes a run to docs/route-times.csv, replacing one of the same size, and the slowest routes to docs/scaling.md. */
export function writeRouteFigures(
  timings: readonly Timing[],
  orders: number,
  surroundings: Surroundings,
): void {
  const kept = readFigures().filter((figure) => figure.orders !== orders);
  const figures = [...kept, ...timings.map((timing) => ({ ...timing, orders }))];
  writeFileSync(FIGURES, toCsv(figures));
  const text = readFileSync(DOCUMENT, 'utf8');
  writeFileSync(DOCUMENT, withTable(text, table(figures, surroundings), 'routes'));
}

function readFigures(): Figure[] {
  if (!existsSync(FIGURES)) return [];
  const [, ...lines] = readFileSync(FIGURES, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [group = '', name = '', orders, p50, p99] = line.split(',');
    return { group, name, calls: 0, orders: Number(orders), p50: Number(p50), p99: Number(p99) };
  });
}

function toCsv(figures: readonly Figure[]): string {
  const lines = figures.map(({ group, name, orders, p50, p99 }) =>
    [group, name, orders, p50.toFixed(1), p99.toFixed(1)].join(','),
  );
  return `${[HEAD, ...lines].join('\n')}\n`;
}

/** Returns the slowest routes at the largest size, with their times at all sizes. */
function table(figures: readonly Figure[], { measured }: Surroundings): string[] {
  const sizes = [...new Set(figures.map(({ orders }) => orders))].sort((a, b) => a - b);
  const largest = figures.filter(({ orders, group }) => orders === sizes.at(-1) && isRoute(group));
  const slowest = largest.toSorted((a, b) => b.p99 - a.p99).slice(0, SLOWEST);
  const rows = slowest.map(({ group, name }) => {
    const cells = sizes.map((size) => {
      const found = figures.find(
        (each) => each.orders === size && each.group === group && each.name === name,
      );
      return found ? Math.round(found.p99).toLocaleString('en-US') : '';
    });
    return `|${group}:\`${name}\`|${cells.join('|')}|`;
  });
  return [
    `p99 in ms, by orders; ${measured}.`,
    '',
    `|Route|${sizes.map(sizeName).join('|')}|`,
    `|---|${sizes.map(() => '--:').join('|')}|`,
    ...rows,
  ];
}

const isRoute = (group: string) => !['job', 'task', 'work'].includes(group);

/** Formats a number of orders: `0`, `200,000`, `1M`. */
function sizeName(orders: number): string {
  const millions = orders / 1e6;
  return Number.isInteger(millions) && millions > 0
    ? `${millions}M`
    : orders.toLocaleString('en-US');
}
