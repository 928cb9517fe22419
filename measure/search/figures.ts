import { createRandom } from '../../db/seeds/random.ts';
import type { Grade, LabelledQuery } from './labels.ts';

/** The number of results that count. */
const DEPTH = 5;
/** A result with at least this grade is good. */
const GOOD = 2;
/** The results at which a buyer looks first. */
const TOP = 3;

/** The results of one query, with their grades in the same order. */
export interface Answered {
  label: LabelledQuery;
  domains: readonly string[];
  grades: readonly Grade[];
  ndcg: number;
  /** The nDCG that good names would have added in empty slots. */
  lostToEmptySlots: number;
}

/** Means over queries, 0 to 1; NaN without any query of that sort. */
export interface Figures {
  queries: number;
  ndcg: number;
  recall: number;
  precision: number;
  /** The share of queries with a result graded 0 among the first three. */
  offTop: number;
  /** The share of queries that have a good answer but got no results. */
  silent: number;
  /** The share of the nDCG loss due to empty slots that good names could have filled. */
  emptySlots: number;
  nonsenseQueries: number;
  /** The share of queries without a right answer that rightly got no results. */
  nonsenseEmpty: number;
}

/** Grades a system's results, given best first. */
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

/** Returns nDCG@5 with gain 2^grade - 1 and discount log2(rank + 1), relative to the best possible order. */
export function ndcg(got: readonly Grade[], all: readonly Grade[]): number {
  return discountedGain(got) / discountedGain([...all].sort((a, b) => b - a));
}

/** Returns the discounted gain of the first five names. */
export function discountedGain(grades: readonly Grade[]): number {
  return grades
    .slice(0, DEPTH)
    .reduce<number>((sum, grade, at) => sum + gainOf(grade) / Math.log2(at + 2), 0);
}

/** Returns the gain of a name in first place. */
export function gainOf(grade: Grade): number {
  return 2 ** grade - 1;
}

/** Returns the figures. Queries without an answer count separately: all that matters is whether they got no results. */
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

/** Returns whether one of the first three results is graded 0. */
export function isOffTop(grades: readonly Grade[]): boolean {
  return grades.slice(0, TOP).includes(0);
}

function goodOnes(grades: readonly Grade[]): number {
  return grades.filter((grade) => grade >= GOOD).length;
}

/** Returns only the queries that listed names can answer. */
export function withAnswer(answered: readonly Answered[]): Answered[] {
  return answered.filter(({ label }) => label.grades.size > 0);
}

const RESAMPLES = 2_000;
const SEED = 1;

/** Returns the 95% bootstrap interval of the mean of the groups' means, by resampling the queries of each group. */
export function intervalOf(groups: readonly (readonly number[])[]): [low: number, high: number] {
  const random = createRandom(SEED);
  const means = Array.from({ length: RESAMPLES }, () =>
    mean(groups.map((values) => mean(values.map(() => random.pick(values))))),
  ).sort((a, b) => a - b);
  const at = (share: number) => means[Math.round(share * (RESAMPLES - 1))] ?? Number.NaN;
  return [at(0.025), at(0.975)];
}

/** Returns the mean, or NaN for an empty list. */
export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
