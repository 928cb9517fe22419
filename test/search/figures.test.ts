import { describe, expect, it } from '@jest/globals';
import { figuresOf, gradeAnswer, intervalOf, ndcg } from '../../measure/search/figures.ts';
import type { Grade, LabelledQuery } from '../../measure/search/labels.ts';

const label = (grades: Record<string, Grade> = {}): LabelledQuery => ({
  query: 'q',
  kind: 'one word',
  grades: new Map(Object.entries(grades)),
});
const hits = (...domains: string[]) => domains;
const COFFEE = label({ 'a.com': 3, 'b.com': 2, 'c.com': 1 });

describe('nDCG@5', () => {
  it('is 1 for the best order and 0 for no results', () => {
    expect(ndcg([3, 2, 1], [1, 2, 3])).toBe(1);
    expect(ndcg([], [1, 2, 3])).toBe(0);
  });

  it('sums 2^grade - 1, discounted by the logarithm of the rank', () => {
    const best = 7 + 3 / Math.log2(3) + 1 / 2;
    expect(ndcg([2, 0, 3], [3, 2, 1])).toBeCloseTo((3 + 7 / 2) / best, 10);
  });

  it('expects at most five results', () => {
    expect(ndcg([3, 3, 3, 3, 3], [3, 3, 3, 3, 3, 3, 3])).toBe(1);
  });
});

describe('metrics of a query set', () => {
  it('compute recall and precision', () => {
    const figures = figuresOf([gradeAnswer(COFFEE, hits('a.com', 'c.com'))]);
    expect(figures).toMatchObject({ queries: 1, recall: 1 / 2, precision: 1 / 2, offTop: 0 });
  });

  it('count off-topic names only among the first three', () => {
    const off = gradeAnswer(COFFEE, hits('a.com', 'b.com', 'x.com'));
    const later = gradeAnswer(COFFEE, hits('a.com', 'b.com', 'c.com', 'x.com'));
    expect(figuresOf([off, later]).offTop).toBe(1 / 2);
  });

  it('count queries left unanswered although good names exist', () => {
    const acceptable = label({ 'c.com': 1 });
    const figures = figuresOf([
      gradeAnswer(COFFEE, []),
      gradeAnswer(COFFEE, hits('a.com')),
      gradeAnswer(acceptable, []),
    ]);
    expect(figures.silent).toBe(1 / 2);
  });

  it('measure the loss due to empty slots while good names were left', () => {
    const best = 7 + 3 / Math.log2(3) + 1 / 2;
    const answer = gradeAnswer(COFFEE, hits('a.com'));
    expect(answer.lostToEmptySlots).toBeCloseTo(3 / Math.log2(3) / best, 10);
    expect(figuresOf([answer]).emptySlots).toBeCloseTo(answer.lostToEmptySlots / (1 - answer.ndcg));
    expect(gradeAnswer(COFFEE, hits('a.com', 'b.com')).lostToEmptySlots).toBe(0);
  });

  it('ignore queries with no match in the inventory', () => {
    const missing = { ...label(), outOfInventory: true };
    const figures = figuresOf([gradeAnswer(missing, hits('x.com')), gradeAnswer(missing, hits())]);
    expect(figures).toMatchObject({ queries: 0, nonsenseQueries: 0 });
  });

  it('count nonsense queries separately, by whether they got no results', () => {
    const figures = figuresOf([
      gradeAnswer(label(), hits()),
      gradeAnswer(label(), hits('x.com')),
      gradeAnswer(COFFEE, hits('a.com', 'b.com', 'c.com')),
    ]);
    expect(figures).toMatchObject({
      queries: 1,
      ndcg: 1,
      nonsenseQueries: 2,
      nonsenseEmpty: 1 / 2,
    });
  });
});

describe('the confidence interval of a mean', () => {
  it('contains the mean, is reproducible, and is a point for equal values', () => {
    const values = [[1, 0, 0.5, 0.2], [0.9]];
    const [low, high] = intervalOf(values);
    expect(low).toBeLessThan((0.425 + 0.9) / 2);
    expect(high).toBeGreaterThan((0.425 + 0.9) / 2);
    expect(intervalOf(values)).toEqual([low, high]);
    expect(intervalOf([[1, 1], [1]])).toEqual([1, 1]);
  });
});
