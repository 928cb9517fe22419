import { createRandom } from '../../db/seeds/random.ts';
import type { Grade, LabelledQuery } from './labels.ts';

/** How many results count. */
const DEPTH = 5;
/** A result of at least this grade is a good one. */
const GOOD = 2;
/** Where a buyer looks first. */
const TOP = 3;

/** What one query got, with its grades in the order of the results. */
export interface Answered {
  label: LabelledQuery;
  domains: readonly string[];
  grades: readonly Grade[];
  ndcg: number;
  /** What good names that were left out would have added in the slots that stayed empty. */
  lostToEmptySlots: number;
}

/** Means over queries, 0 to 1; NaN where no query of that sort is among them. */
export interface Figures {
  queries: number;
  ndcg: number;
  recall: number;
  precision: number;
  /** The share of queries with something graded 0 among the first three. */
  offTop: number;
  /** The share of queries with a good answer that got no answer at all. */
  silent: number;
  /** Of the loss of nDCG, the share that is empty slots while good names were left. */
  emptySlots: number;
  nonsenseQueries: number;
  /** The share of the queries without any answer that rightly got none. */
  nonsenseEmpty: number;
}

/** Grades what a system answered, best first. */
export function gradeAnswer(label: LabelledQuery, answer: readonly string[]): Answered {
  const domains = answer.slice(0, DEPTH);
  const grades = domains.map((domain) => label.grades.get(domain) ?? 0);
  const all = [...label.grades.values()];
  const left = [...label.grades]
    .filter(([domain, grade]) => grade >= GOOD && !domains.includes(domain))
    .map(([, grade]) => grade)
    .sort((a, b) => b - a);
  const got = ndcg(grades, all);
  return {
    label,
    domains,
    grades,
    ndcg: got,
    lostToEmptySlots: ndcg([...grades, ...left], all) - got,
  };
}

/** nDCG@5 with the gain 2^grade - 1 and the discount log2(rank + 1), against the best order there is. */
export function ndcg(got: readonly Grade[], all: readonly Grade[]): number {
  return discountedGain(got) / discountedGain([...all].sort((a, b) => b - a));
}

/** What five names are worth by their grades and places. */
export function discountedGain(grades: readonly Grade[]): number {
  return grades
    .slice(0, DEPTH)
    .reduce<number>((sum, grade, at) => sum + gainOf(grade) / Math.log2(at + 2), 0);
}

/** What a name is worth in the first place. */
export function gainOf(grade: Grade): number {
  return 2 ** grade - 1;
}

/** Queries without answers are counted apart: only their emptiness can be right or wrong. */
export function figuresOf(answered: readonly Answered[]): Figures {
  const asked = withAnswer(answered);
  const nonsense = answered.filter(({ label }) => label.grades.size === 0 && !label.outOfInventory);
  const withGood = asked.filter(({ label }) => goodOnes([...label.grades.values()]) > 0);
  return {
    queries: asked.length,
    ndcg: mean(asked.map((answer) => answer.ndcg)),
    recall: mean(
      withGood.map(
        ({ label, grades }) =>
          goodOnes(grades) / Math.min(DEPTH, goodOnes([...label.grades.values()])),
      ),
    ),
    precision: mean(
      asked.map(({ grades }) => (grades.length === 0 ? 0 : goodOnes(grades) / grades.length)),
    ),
    offTop: mean(asked.map((answer) => (isOffTop(answer.grades) ? 1 : 0))),
    silent: mean(withGood.map(({ grades }) => (grades.length === 0 ? 1 : 0))),
    emptySlots:
      sum(asked.map(({ lostToEmptySlots }) => lostToEmptySlots)) /
      sum(asked.map((answer) => 1 - answer.ndcg)),
    nonsenseQueries: nonsense.length,
    nonsenseEmpty: mean(nonsense.map(({ grades }) => (grades.length === 0 ? 1 : 0))),
  };
}

/** Whether one of the first three results is off. */
export function isOffTop(grades: readonly Grade[]): boolean {
  return grades.slice(0, TOP).includes(0);
}

function goodOnes(grades: readonly Grade[]): number {
  return grades.filter((grade) => grade >= GOOD).length;
}

/** Without those that nothing listed answers. */
export function withAnswer(answered: readonly Answered[]): Answered[] {
  return answered.filter(({ label }) => label.grades.size > 0);
}

const RESAMPLES = 2_000;
const SEED = 1;

/** Where the mean of the groups' means would lie 19 times of 20, had other queries of the same sort been asked. */
export function intervalOf(groups: readonly (readonly number[])[]): [low: number, high: number] {
  const random = createRandom(SEED);
  const means = Array.from({ length: RESAMPLES }, () =>
    mean(groups.map((values) => mean(values.map(() => random.pick(values))))),
  ).sort((a, b) => a - b);
  const at = (share: number) => means[Math.round(share * (RESAMPLES - 1))] ?? Number.NaN;
  return [at(0.025), at(0.975)];
}

/** NaN of nothing. */
export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
