import type { Evaluation } from './evaluate.ts';
import { type Answered, figuresOf, intervalOf, mean, withAnswer } from './figures.ts';
import { PROMISED } from './promises.ts';

export interface Table {
  headings: string[];
  rows: string[][];
}

/** nDCG@5 of each kind, ours with its interval beside the others. */
export function tableOfKinds(evaluation: Evaluation): Table {
  const { ours, ...others } = evaluation;
  return {
    headings: ['nDCG@5', 'queries', 'ours', '95 % interval', ...Object.keys(others)],
    rows: kindsOf(ours).map((kind) => [
      kind,
      String(ofKind(ours, kind).length),
      figure(ndcgOf(ofKind(ours, kind))),
      interval(ofKind(ours, kind)),
      ...Object.values(others).map((answered) => figure(ndcgOf(ofKind(answered, kind)))),
    ]),
  };
}

/** What is promised of all kinds together, and where the rest is lost. */
export function tableOfTotals(evaluation: Evaluation): Table {
  const silentKinds = [
    ...new Set(
      evaluation.ours
        .filter(({ label }) => label.grades.size === 0 && !label.outOfInventory)
        .map(({ label }) => label.kind),
    ),
  ];
  const row = (
    name: string,
    value: (answered: Answered[]) => number,
    show: (value: number) => string,
    promised?: number,
  ) => [
    name,
    ...Object.values(evaluation).map((answered) => show(value(answered))),
    promised === undefined
      ? ''
      : `${show(promised)} ${value(evaluation.ours) >= promised ? 'kept' : 'missed'}`,
  ];
  return {
    headings: ['all kinds', ...Object.keys(evaluation), 'promised'],
    rows: [
      row('nDCG@5, mean of queries', ndcgOf, figure, PROMISED.ndcg),
      ['95 % interval', ...Object.values(evaluation).map(interval), ''],
      row('nDCG@5, mean of kinds', meanOfKinds, figure),
      row(
        `nDCG@5, lowest kind of ${PROMISED.queriesOfKind} queries or more`,
        lowestKind,
        figure,
        PROMISED.kind,
      ),
      row('answered', (answered) => 1 - figuresOf(answered).silent, share, PROMISED.answered),
      row(
        'silent on nonsense and off topic',
        (answered) => figuresOf(answered).nonsenseEmpty,
        share,
        PROMISED.silent,
      ),
      ...silentKinds.map((kind) =>
        row(
          `silent on ${kind}`,
          (answered) => figuresOf(ofKind(answered, kind)).nonsenseEmpty,
          share,
        ),
      ),
      row('of the loss: empty slots', (answered) => figuresOf(answered).emptySlots, share),
      row(
        'answered though out of inventory',
        (answered) =>
          mean(
            answered
              .filter(({ label }) => label.outOfInventory)
              .map(({ grades }) => (grades.length > 0 ? 1 : 0)),
          ),
        share,
      ),
    ],
  };
}

/** The kinds with an answer, in their order. */
function kindsOf(answered: readonly Answered[]): string[] {
  return [...new Set(withAnswer(answered).map(({ label }) => label.kind))];
}

export function ofKind(answered: readonly Answered[], kind: string): Answered[] {
  return answered.filter(({ label }) => label.kind === kind);
}

function ndcgOf(answered: readonly Answered[]): number {
  return mean(withAnswer(answered).map(({ ndcg }) => ndcg));
}

function meanOfKinds(answered: readonly Answered[]): number {
  return mean(kindsOf(answered).map((kind) => ndcgOf(ofKind(answered, kind))));
}

function lowestKind(answered: readonly Answered[]): number {
  const kinds = kindsOf(answered).map((kind) => withAnswer(ofKind(answered, kind)));
  return Math.min(...kinds.filter(({ length }) => length >= PROMISED.queriesOfKind).map(ndcgOf));
}

function interval(answered: readonly Answered[]): string {
  return intervalOf(answered).map(figure).join(' to ');
}

export function figure(value: number): string {
  return Number.isFinite(value) ? value.toFixed(3) : '-';
}

export function share(value: number): string {
  return Number.isFinite(value) ? `${(100 * value).toFixed(1)} %` : '-';
}
