import { type BuyerEvaluation, WITHOUT_ANSWER } from './buyer-evaluation.ts';
import { KINDS, type Kind } from './buyer-queries.ts';
import type { Evaluation } from './evaluate.ts';
import { type Answered, type Figures, figuresOf, isOffTop, mean } from './figures.ts';
import type { SetName } from './labels.ts';
import { PROMISED, promisedOf } from './promises.ts';

const HEADINGS = ['nDCG@5', 'recall@5', 'precision@5', 'off in first 3', 'nonsense empty'];
/** A first result with at least this score says "here it is". */
const CONFIDENT = 0.5;

/** The figures of buyers' queries: each kind, and each system beside ours. */
export function printBuyerEvaluation(title: string, result: BuyerEvaluation): void {
  const { evaluation } = result;
  const systems = Object.keys(evaluation);
  const kinds = answeredKinds(evaluation);
  const row = (name: string, promised: string, value: (answered: Answered[]) => string) => [
    name,
    ...systems.map((system) => value(evaluation[system] ?? [])),
    promised,
  ];
  const byKind = kinds.map((kind) => [
    kind,
    String(ofKind(evaluation.ours, kind).length),
    ...systems.map((system) => figure(ndcgOf(ofKind(evaluation[system] ?? [], kind)))),
    promisedOf(kind).toFixed(2),
    share(figuresOf(ofKind(evaluation.ours, kind)).silent),
    share(figuresOf(ofKind(evaluation.ours, kind)).offTop),
  ]);
  print(`${title}: ${result.listings} listings, ${evaluation.ours.length} queries`);
  if (result.unanswerable.length > 0) {
    print(`left out, as nothing good is listed: ${result.unanswerable.join('; ')}`);
  }
  print('');
  printTable(
    ['nDCG@5 by kind', 'queries', ...systems, 'promised', 'ours silent', 'ours off in first 3'],
    byKind,
  );
  printTable(
    ['all kinds', ...systems, 'promised'],
    [
      row('nDCG@5, mean of kinds', '', (answered) => figure(meanOfKinds(answered, kinds))),
      row('nDCG@5, mean of queries', PROMISED.ndcg.toFixed(2), (answered) =>
        figure(ndcgOf(withAnswer(answered))),
      ),
      row('silent though there is an answer', `< ${share(PROMISED.silent)}`, (answered) =>
        share(figuresOf(withAnswer(answered)).silent),
      ),
      row('nonsense that got nothing', share(PROMISED.nonsenseEmpty), (answered) =>
        share(figuresOf(ofKind(answered, 'nonsense')).nonsenseEmpty),
      ),
      row('out of inventory, answered', '', (answered) =>
        share(
          mean(
            ofKind(answered, 'out of inventory').map(({ grades }) => (grades.length > 0 ? 1 : 0)),
          ),
        ),
      ),
      row(`  with a score of ${CONFIDENT} or more`, '', (answered) =>
        share(
          mean(
            ofKind(answered, 'out of inventory').map(({ score = 0 }) =>
              score >= CONFIDENT ? 1 : 0,
            ),
          ),
        ),
      ),
    ],
  );
}

/** Our figures on several inventories side by side, and how far apart they are. */
export function printInventories(
  results: readonly { name: string; result: BuyerEvaluation }[],
): void {
  const first = results[0]?.result.evaluation;
  if (!first) return;
  const kinds = answeredKinds(first);
  const row = (name: string, value: (answered: Answered[]) => number) => {
    const values = results.map(({ result }) => value(result.evaluation.ours));
    const apart = Math.max(...values) - Math.min(...values);
    return [name, ...values.map(figure), figure(apart)];
  };
  printTable(
    ['ours, nDCG@5', ...results.map(({ name }) => name), 'apart'],
    [
      ...kinds.map((kind) => row(kind, (answered) => ndcgOf(ofKind(answered, kind)))),
      row('mean of kinds', (answered) => meanOfKinds(answered, kinds)),
      row('mean of queries', (answered) => ndcgOf(withAnswer(answered))),
      row('silent', (answered) => figuresOf(withAnswer(answered)).silent),
      row('nonsense empty', (answered) => figuresOf(ofKind(answered, 'nonsense')).nonsenseEmpty),
    ],
  );
}

/** The figures of a labelled set: each system over all kinds, then ours kind by kind. */
export function printEvaluation(set: SetName, evaluation: Evaluation): void {
  const kinds = [...new Set(evaluation.ours.map(({ label }) => label.kind))];
  const rows: string[][] = [
    ...Object.entries(evaluation).map(([name, answered]) => [name, ...cells(answered)]),
    [],
    ...kinds.map((kind) => [`  ${kind}`, ...cells(ofKind(evaluation.ours, kind))]),
  ];
  printTable([`${set} (${evaluation.ours.length} queries)`, ...HEADINGS], rows);
}

/** Our worst answers with what was shown, worst first. */
export function printFailures(evaluation: Evaluation, count: number): void {
  const worst = evaluation.ours
    .filter(({ label }) => label.kind !== 'out of inventory')
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

function answeredKinds({ ours }: Evaluation): Kind[] {
  return KINDS.filter((kind) => !WITHOUT_ANSWER.includes(kind) && ofKind(ours, kind).length > 0);
}

function ofKind(answered: readonly Answered[], kind: string): Answered[] {
  return answered.filter(({ label }) => label.kind === kind);
}

function withAnswer(answered: readonly Answered[]): Answered[] {
  return answered.filter(
    ({ label }) => !(WITHOUT_ANSWER as readonly string[]).includes(label.kind),
  );
}

function ndcgOf(answered: readonly Answered[]): number {
  return mean(answered.map(({ ndcg }) => ndcg));
}

function meanOfKinds(answered: readonly Answered[], kinds: readonly Kind[]): number {
  return mean(kinds.map((kind) => ndcgOf(ofKind(answered, kind))));
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
