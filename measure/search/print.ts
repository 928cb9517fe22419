import type { BuyerEvaluation } from './buyer-evaluation.ts';
import type { Evaluation } from './evaluate.ts';
import { type Answered, type Figures, figuresOf, isOffTop } from './figures.ts';
import type { SetName } from './labels.ts';
import { figure, ofKind, share, tableOfKinds, tableOfTotals } from './tables.ts';

const HEADINGS = ['nDCG@5', 'recall@5', 'precision@5', 'off in first 3', 'nonsense empty'];

/** Prints the figures for buyers' queries, by kind and in total, for each system. */
export function printBuyerEvaluation({
  listings,
  bareListings,
  refused,
  sets,
}: BuyerEvaluation): void {
  print(`${listings} listings, ${share(bareListings / listings)} of them without any text`);
  if (refused.length > 0) print(`not taken by the marketplace: ${refused.join(', ')}`);
  for (const [set, { evaluation, unanswerable }] of Object.entries(sets)) {
    print(`${set}: ${evaluation.ours.length} queries`);
    if (unanswerable.length > 0) {
      const which = set === 'held-out' ? unanswerable.length : unanswerable.join('; ');
      print(`left out, as nothing good is listed: ${which}`);
    }
    print('');
    for (const { headings, rows } of [tableOfKinds(evaluation), tableOfTotals(evaluation)]) {
      printTable(headings, rows);
    }
  }
}

/** Prints the figures for a labelled set: each system over all kinds, then ours kind by kind. */
export function printEvaluation(set: SetName, evaluation: Evaluation): void {
  const kinds = [...new Set(evaluation.ours.map(({ label }) => label.kind))];
  const rows: string[][] = [
    ...Object.entries(evaluation).map(([name, answered]) => [name, ...cells(answered)]),
    [],
    ...kinds.map((kind) => [`  ${kind}`, ...cells(ofKind(evaluation.ours, kind))]),
  ];
  printTable([`${set} (${evaluation.ours.length} queries)`, ...HEADINGS], rows);
}

/** Prints our worst answers, worst first: what was shown, and what was wanted. */
export function printFailures(evaluation: Evaluation, count: number): void {
  const worst = evaluation.ours
    .filter(({ label }) => !label.outOfInventory)
    .map((answer) => ({ answer, worth: worthOf(answer) }))
    .filter(({ worth }) => worth < 1)
    .sort((a, b) => a.worth - b.worth)
    .slice(0, count);
  for (const { answer } of worst) {
    const { label, domains, grades } = answer;
    const shown = domains.map((domain, at) => `${grades[at]} ${domain}`).join(', ') || 'nothing';
    const wanted = [...label.grades].sort(([, a], [, b]) => b - a).slice(0, 5);
    print(`${label.kind}: ${label.query}   nDCG@5 ${figure(answer.ndcg)}`);
    print(`  shown:  ${shown}`);
    print(
      `  wanted: ${wanted.map(([domain, grade]) => `${grade} ${domain}`).join(', ') || 'nothing'}`,
    );
  }
}

/** Ranks answers for {@link printFailures}: something off at the top is worse than a missing good name. */
function worthOf({ label, grades, ndcg }: Answered): number {
  if (label.grades.size === 0) return grades.length === 0 ? 1 : -1;
  return isOffTop(grades) ? ndcg - 1 : ndcg;
}

function cells(answered: readonly Answered[]): string[] {
  const { ndcg, recall, precision, offTop, nonsenseEmpty }: Figures = figuresOf(answered);
  return [figure(ndcg), figure(recall), figure(precision), share(offTop), share(nonsenseEmpty)];
}

function printTable(headings: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = headings.map((_, at) =>
    Math.max(...[headings, ...rows].map((row) => row[at]?.length ?? 0)),
  );
  for (const row of [headings, ...rows]) {
    const line = row.map((cell, at) =>
      at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
    );
    print(line.join('   '));
  }
  print('');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
