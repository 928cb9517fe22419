import type { Evaluation } from './evaluate.ts';
import { type Answered, figuresOf, intervalOf, mean, withAnswer } from './figures.ts';
import { PROMISED } from './promises.ts';

export interface Table {
  headings: string[];
  rows: string[][];
}

/** Returns nDCG@5 for each kind, ours with its interval next to the others. */
export function tableOfKinds(evaluation: Evaluation): Table {
  const { ours, ...others } = evaluation;
  return {
    headings: ['nDCG@5', 'queries', 'ours', '95 % interval', ...Object.keys(others)],
    rows: kindsOf(ours).map((kind) => {
      const ofOurs = withAnswer(ofKind(ours, kind));
      return [
        kind,
        String(ofOurs.length),
        figure(ndcgOf(ofOurs)),
        interval([ofOurs]),
        ...Object.values(others).map((answered) => figure(ndcgOf(ofKind(answered, kind)))),
      ];
    }),
  };
}

/** Returns the promised figures over all kinds, and where the rest is lost. */
export function tableOfTotals(evaluation: Evaluation): Table {
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
      row('nDCG@5', meanOfKinds(ndcgOf), figure, PROMISED.ndcg),
      [
        '95 % interval',
        ...Object.values(evaluation).map((answered) => interval(groupsOf(answered))),
        '',
      ],
      row('nDCG@5, mean of queries', ndcgOf, figure),
      row('lowest kind', lowestKind, figure, PROMISED.kind),
      row('answered', meanOfKinds(answeredShare), share, PROMISED.answered),
      row('silent where silence is right', silentShare, share, PROMISED.silent),
      ...['nonsense', 'off topic'].map((kind) =>
        row(`  ${kind}`, (answered) => silentShare(ofKind(answered, kind)), share),
      ),
      row('of the loss, empty slots', (answered) => figuresOf(answered).emptySlots, share),
      row('answered though out of inventory', strayShare, share),
    ],
  };
}

/** Returns the kinds with answerable queries, in order. */
function kindsOf(answered: readonly Answered[]): string[] {
  return [...new Set(withAnswer(answered).map(({ label }) => label.kind))];
}

export function ofKind(answered: readonly Answered[], kind: string): Answered[] {
  return answered.filter(({ label }) => label.kind === kind);
}

/**
 * Groups answerable queries by kind, with all languages as one kind. Means are taken over groups, since the number of
 * queries written for a kind says nothing about how often buyers ask them.
 */
function groupsOf(answered: readonly Answered[]): Answered[][] {
  const groups = new Map<string, Answered[]>();
  for (const answer of withAnswer(answered)) {
    const name = answer.label.kind.replace(/^language .*/, 'languages');
    groups.set(name, [...(groups.get(name) ?? []), answer]);
  }
  return [...groups.values()];
}

/** Returns the group of a kind; all languages are one group. */
export function groupOf(kind: string): string {
  return kind.replace(/^language .*/, 'languages');
}

function meanOfKinds(value: (answered: Answered[]) => number) {
  return (answered: readonly Answered[]) => mean(groupsOf(answered).map(value));
}

function ndcgOf(answered: readonly Answered[]): number {
  return mean(withAnswer(answered).map(({ ndcg }) => ndcg));
}

function lowestKind(answered: readonly Answered[]): number {
  const kinds = kindsOf(answered).map((kind) => withAnswer(ofKind(answered, kind)));
  return Math.min(...kinds.filter(({ length }) => length >= PROMISED.queriesOfKind).map(ndcgOf));
}

function answeredShare(answered: readonly Answered[]): number {
  return 1 - figuresOf(answered).silent;
}

function silentShare(answered: readonly Answered[]): number {
  return figuresOf(answered).nonsenseEmpty;
}

function strayShare(answered: readonly Answered[]): number {
  const missing = answered.filter(({ label }) => label.outOfInventory);
  return mean(missing.map(({ grades }) => (grades.length > 0 ? 1 : 0)));
}

function interval(groups: readonly (readonly Answered[])[]): string {
  return intervalOf(groups.map((group) => group.map(({ ndcg }) => ndcg)))
    .map(figure)
    .join('–');
}

export function figure(value: number): string {
  return Number.isFinite(value) ? value.toFixed(3) : '-';
}

export function share(value: number): string {
  return Number.isFinite(value) ? `${(100 * value).toFixed(1)} %` : '-';
}
