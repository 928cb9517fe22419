import { describe, expect, it } from '@jest/globals';
import { figuresOf, gradeAnswer, ndcg } from '../../measure/search/figures.ts';
import type { Grade, LabelledQuery } from '../../measure/search/labels.ts';

const label = (grades: Record<string, Grade> = {}): LabelledQuery => ({
  query: 'q',
  kind: 'one word',
  grades: new Map(Object.entries(grades)),
});
const hits = (...domains: string[]) => domains.map((domain) => ({ domain }));
const COFFEE = label({ 'a.com': 3, 'b.com': 2, 'c.com': 1 });

describe('nDCG@5', () => {
  it('is 1 for the best order and 0 for nothing', () => {
    expect(ndcg([3, 2, 1], [1, 2, 3])).toBe(1);
    expect(ndcg([], [1, 2, 3])).toBe(0);
  });

  it('counts 2^grade - 1, less by the logarithm of the rank', () => {
    const best = 7 + 3 / Math.log2(3) + 1 / 2;
    expect(ndcg([2, 0, 3], [3, 2, 1])).toBeCloseTo((3 + 7 / 2) / best, 10);
  });

  it('wants no more than five', () => {
    expect(ndcg([3, 3, 3, 3, 3], [3, 3, 3, 3, 3, 3, 3])).toBe(1);
  });
});

describe('the figures of a set', () => {
  it('take the share of good ones that were found, and of what was shown', () => {
    const figures = figuresOf([gradeAnswer(COFFEE, hits('a.com', 'c.com'))]);
    expect(figures).toMatchObject({ queries: 1, recall: 1 / 2, precision: 1 / 2, offTop: 0 });
  });

  it('notice what is off among the first three only', () => {
    const off = gradeAnswer(COFFEE, hits('a.com', 'b.com', 'x.com'));
    const later = gradeAnswer(COFFEE, hits('a.com', 'b.com', 'c.com', 'x.com'));
    expect(figuresOf([off, later]).offTop).toBe(1 / 2);
  });

  it('notice silence where there was something good to show', () => {
    const acceptable = label({ 'c.com': 1 });
    const figures = figuresOf([
      gradeAnswer(COFFEE, []),
      gradeAnswer(COFFEE, hits('a.com')),
      gradeAnswer(acceptable, []),
    ]);
    expect(figures.silent).toBe(1 / 2);
  });

  it('count nonsense apart, by whether it rightly got nothing', () => {
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
