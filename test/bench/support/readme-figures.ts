import { readFileSync, writeFileSync } from 'node:fs';
import { type Figure, median, shareOfLimit } from './figures.ts';

const README = new URL('../../../README.md', import.meta.url);
const [BEGIN, END] = ['<!-- figures: begin -->', '<!-- figures: end -->'];

/** How the names of the figures begin that a stranger is shown. */
const SHOWN = [
  'Signed GET /availability',
  'POST /orders',
  'Domain search',
  'Webhook deliveries',
  'Settlement',
  'Start of an API process',
];

/** Puts a few of the figures into README.md, when all of these were measured; says whether it did. */
export function writeReadmeFigures(figures: readonly Figure[]): boolean {
  const shown = SHOWN.map((start) => figures.find(({ name }) => name.startsWith(start)));
  if (!shown.every((figure) => figure !== undefined)) return false;
  const text = readFileSync(README, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error('README.md has no place for the figures');
  const table = [
    BEGIN,
    '| What | Measured | The most this machine could do | Share |',
    '| --- | --- | --- | --- |',
    ...shown.map(toRow),
    '',
  ].join('\n');
  writeFileSync(README, text.slice(0, begin) + table + text.slice(end));
  return true;
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
