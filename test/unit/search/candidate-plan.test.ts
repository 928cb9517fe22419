import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NO_FILTER } from '../../../shared/market/search/candidate-filter.ts';
import { planCandidates } from '../../../shared/market/search/candidate-plan.ts';
import { parseQuery } from '../../../shared/market/search/parse-query.ts';
import type { TermStatistics } from '../../../shared/market/search/term-statistics.ts';

/** A million names of which every tenth has any given term, every hundredth in its tier, and so on. */
const crowded: TermStatistics = {
  size: 1_000_000,
  countOf: (term) => 100_000 / 10 ** (term.match(/\++$/)?.[0].length ?? 0),
};
const sparse: TermStatistics = { size: 1_000_000, countOf: () => 0 };
const plan = (text: string, statistics = sparse, filter = {}) =>
  planCandidates(parseQuery(text), statistics, { ...NO_FILTER, ...filter });
const groupsOf = (text: string, statistics = sparse, filter = {}) =>
  plan(text, statistics, filter).steps.flatMap(({ groups }) => groups);

describe('planning a search', () => {
  it('looks for the words alone before what they mean', () => {
    const { steps } = plan('coffee wallet');
    const literal = steps.findIndex(({ groups }) => groups.flat().join(' ') === 'l:wallet l:coffe');
    const meant = steps.findIndex(({ groups }) => groups.flat().includes('c:coffee'));
    expect(literal).toBeGreaterThanOrEqual(0);
    expect(meant).toBeGreaterThan(literal);
  });

  it('takes common words from the better names only', () => {
    expect(groupsOf('home').flat()).toContain('l:home');
    const dear = groupsOf('home', crowded).flat();
    expect(dear).toContain('l:home++');
    expect(dear).not.toContain('l:home');
  });

  it('keeps every step to the suffixes that were asked for', () => {
    for (const { groups } of plan('neon coffee', sparse, { tlds: ['io', 'ai'] }).steps) {
      expect(groups.length).toBeLessThanOrEqual(3);
      expect(groups.at(-1)).toEqual(['t:io', 't:ai']);
    }
  });

  it('looks for names that are spelled alike only where Postgres sees letters', () => {
    expect(plan('zorblix').spellings).toEqual(['zorblix']);
    expect(plan('κήπος').spellings).toEqual([]);
  });

  it('compares some thousands of names in meaning, however crowded a cell is', () => {
    const { nearest } = plan('coffee roaster', crowded);
    expect(nearest?.cells.length).toBeGreaterThanOrEqual(6);
    expect(nearest?.ofCells).toBeLessThanOrEqual(4_000);
    expect(nearest?.ofCell).toBeLessThan(nearest?.ofCells ?? 0);
  });

  it('is bounded for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 200 }),
          fc.lorem({ maxCount: 30 }),
          fc
            .array(fc.constantFrom('home', 'shop', 'coffee', 'walet', '青空', 'real'), {
              maxLength: 40,
            })
            .map((words) => words.join(' ')),
        ),
        fc.constantFrom(crowded, sparse),
        (text, statistics) => {
          const { steps, labels, spellings } = plan(text, statistics);
          expect(steps.length).toBeLessThanOrEqual(40);
          expect(labels.length + spellings.length).toBeLessThanOrEqual(6);
          const read = steps.flatMap(({ groups }) => groups.flat()).map(statistics.countOf);
          expect(read.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(20_000);
          for (const { groups } of steps) {
            for (const term of groups.flat()) expect(term).not.toMatch(/\s/);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
