import type { Evaluation } from './evaluate.ts';
import { type Answered, type Figures, figuresOf, isOffTop } from './figures.ts';
import type { SetName } from './labels.ts';

const HEADINGS = ['nDCG@5', 'recall@5', 'precision@5', 'off in first 3', 'nonsense empty'];

/** The figures of a set: each system over all kinds, then the engine kind by kind. */
export function printEvaluation(set: SetName, evaluation: Evaluation): void {
  const rows: string[][] = [
    ['our search', ...cells(evaluation.engine)],
    ['full-text search', ...cells(evaluation.fullText)],
    ['trigrams', ...cells(evaluation.trigrams)],
    [],
    ...kindsOf(evaluation.engine).map((kind) => [
      `  ${kind}`,
      ...cells(evaluation.engine.filter(({ label }) => label.kind === kind)),
    ]),
  ];
  printTable([`${set} (${evaluation.engine.length} queries)`, ...HEADINGS], rows);
}

/** The worst answers of the engine with what was shown, worst first. */
export function printFailures(evaluation: Evaluation, count: number): void {
  const worst = evaluation.engine
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

/** Something off at the top is worse than something good left out. */
function worthOf({ label, grades, ndcg }: Answered): number {
  if (label.grades.size === 0) return grades.length === 0 ? 1 : -1;
  return isOffTop(grades) ? ndcg - 1 : ndcg;
}

function kindsOf(answered: readonly Answered[]): string[] {
  return [...new Set(answered.map(({ label }) => label.kind))];
}

function cells(answered: readonly Answered[]): string[] {
  const { ndcg, recall, precision, offTop, nonsenseEmpty }: Figures = figuresOf(answered);
  return [figure(ndcg), figure(recall), figure(precision), share(offTop), share(nonsenseEmpty)];
}

function figure(value: number): string {
  return Number.isNaN(value) ? '-' : value.toFixed(3);
}

function share(value: number): string {
  return Number.isNaN(value) ? '-' : `${(100 * value).toFixed(1)} %`;
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
