import { type Figure, median, shareOfLimit } from './figures.ts';
import { writeTable } from './figures-table.ts';

const README = new URL('../../../README.md', import.meta.url);
const HEADING = [
  '| What | Measured | The most this machine could do | Share |',
  '| --- | --- | --- | --- |',
];

/** How the names of the figures begin that a stranger is shown. */
const SHOWN = [
  'Signed GET /availability',
  'POST /orders',
  'Domain search',
  'Webhook deliveries',
  'Settlement',
  'Start of an API process',
];

/** Puts those of the figures that a stranger is shown into README.md. */
export function writeReadmeFigures(figures: readonly Figure[]): void {
  const fresh = new Map<string, string[]>();
  for (const start of SHOWN) {
    const figure = figures.find(({ name }) => name.startsWith(start));
    if (figure) fresh.set(start, [toRow(figure)]);
  }
  writeTable(README, HEADING, SHOWN, fresh);
}

function toRow(figure: Figure): string {
  const { name, unit, ours, limit, limitName } = figure;
  const measured = (values: readonly number[]) =>
    `${Math.round(median(values)).toLocaleString('en-US')} ${unit}`;
  const [what = name] = name.split(' (');
  const [how = limitName] = limitName.split(', same ');
  const share = shareOfLimit(figure).toFixed(2);
  return `| ${what} | ${measured(ours)} | ${measured(limit)}: ${how} | ${share} |`;
}
