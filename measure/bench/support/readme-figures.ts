import { readFileSync, writeFileSync } from 'node:fs';
import { type Figure, median, reachesGoal, shareOfLimit } from '../../support/figures.ts';
import { withTable } from '../../support/figures-table.ts';

const README = new URL('../../../README.md', import.meta.url);

/** How the names of the figures begin that a stranger is shown beside missed goals; the others are in docs/benchmarks.md. */
const SHOWN = [
  'Signed GET /availability',
  'POST /orders',
  'Domain search',
  'Webhook deliveries',
  'Settlement',
  'Start of an API process',
  'Resident memory',
];

/**
 * README.md with the figures that a stranger is shown, all of one run: the text as it is when `figures` lacks
 * one of them, for a table of several runs or machines compares what cannot be compared.
 */
export function withReadmeFigures(
  readme: string,
  run: { measured: string; machine: string },
  figures: readonly Figure[],
): string {
  const shown = SHOWN.map((start) => {
    const found = figures.filter(({ name }) => name.startsWith(start));
    return found.find(({ goal }) => goal !== undefined) ?? found[0];
  });
  if (shown.includes(undefined)) return readme;
  const missed = figures.filter((figure) => reachesGoal(figure) === false);
  const rows = [...new Set([...shown, ...missed])].map((figure) => figure && toRow(figure));
  return withTable(readme, [
    `One run on one machine: ${run.machine}; ${run.measured}.`,
    '',
    '|What|Measured|The same work with nothing around it|Share|Goal|',
    '|---|---|---|---|---|',
    ...rows.map(String),
    '',
    missedGoals(figures),
  ]);
}

/** Puts the figures of a whole run into README.md. */
export function writeReadmeFigures(
  run: { measured: string; machine: string },
  figures: readonly Figure[],
): void {
  writeFileSync(README, withReadmeFigures(readFileSync(README, 'utf8'), run, figures));
}

function toRow(figure: Figure): string {
  const { name, unit, ours, limit, limitName } = figure;
  const measured = (values: readonly number[]) =>
    `${Math.round(median(values)).toLocaleString('en-US')} ${unit}`;
  const [what = name] = name.split(' (');
  const [how = limitName] = limitName.split(', same ');
  const share = shareOfLimit(figure).toFixed(2);
  return `|${what}|${measured(ours)}|${measured(limit)}: ${how}|${share}|${goalOf(figure)}|`;
}

/** In a sentence, so that nobody has to look for them in the table. */
function missedGoals(figures: readonly Figure[]): string {
  const missed = figures.filter((figure) => reachesGoal(figure) === false);
  if (missed.length === 0) return 'All goals are reached.';
  return `Missed goals: ${missed.map(({ name }) => name.split(' (')[0]).join('; ')}.`;
}

function goalOf(figure: Figure): string {
  const { goal, unit } = figure;
  if (!goal) return '';
  const aim = 'most' in goal ? `at most ${goal.most.toLocaleString('en-US')} ${unit}` : goal.share;
  return `${aim}: ${reachesGoal(figure) ? 'reached' : 'missed'}`;
}
