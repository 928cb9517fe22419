import type { Grade, LabelledQuery } from './labels.ts';
import type { Hit } from './systems.ts';

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
  /** How sure the system was of its first result, if there is one and it says. */
  score?: number | undefined;
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
  nonsenseQueries: number;
  /** The share of the queries without any answer that rightly got none. */
  nonsenseEmpty: number;
}

/** Grades what a system answered, best first. */
export function gradeAnswer(label: LabelledQuery, hits: readonly Hit[]): Answered {
  const shown = hits.slice(0, DEPTH).map(({ domain }) => domain);
  const grades = shown.map((domain) => label.grades.get(domain) ?? 0);
  const best = ndcg(grades, [...label.grades.values()]);
  return { label, domains: shown, grades, ndcg: best, score: hits[0]?.score };
}

/** nDCG@5 with the gain 2^grade - 1 and the discount log2(rank + 1), against the best order there is. */
export function ndcg(got: readonly Grade[], all: readonly Grade[]): number {
  return discountedGain(got) / discountedGain([...all].sort((a, b) => b - a));
}

function discountedGain(grades: readonly Grade[]): number {
  return grades
    .slice(0, DEPTH)
    .reduce<number>((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0);
}

/** Queries without answers are counted apart: only their emptiness can be right or wrong. */
export function figuresOf(answered: readonly Answered[]): Figures {
  const asked = answered.filter(({ label }) => label.grades.size > 0);
  const nonsense = answered.filter(({ label }) => label.grades.size === 0);
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

/** NaN of nothing. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
