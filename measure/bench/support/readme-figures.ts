import { readFileSync, writeFileSync } from 'node:fs';
import { type Figure, median, reachesGoal, shareOfLimit } from '../../support/figures.ts';
import { withTable } from '../../support/figures-table.ts';

const README = new URL('../../../README.md', import.meta.url);

/** Name prefixes of the figures that README.md shows beside missed goals; the others are in docs/benchmarks.md. */
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
 * Returns README.md with its figures, all from one run. Returns the text unchanged if `figures` lacks one: a table from
 * several runs or machines would mix incomparable figures.
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

/** Writes the figures of a full run to README.md. */
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

/** Lists missed goals in a sentence, so that readers need not search the table. */
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
