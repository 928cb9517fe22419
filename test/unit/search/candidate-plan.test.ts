import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NO_FILTER } from '../../../shared/market/search/candidate-filter.ts';
import { planCandidates } from '../../../shared/market/search/candidate-plan.ts';
import { likelyKinds } from '../../../shared/market/search/kinds/likely-kinds.ts';
import { parseQuery } from '../../../shared/market/search/parse-query.ts';
import type { TermStatistics } from '../../../shared/market/search/term-statistics.ts';

/** A million names: each term is in every twentieth name, a tenth of those per tier, and so on. */
const crowded: TermStatistics = {
  size: 1_000_000,
  countOf: (term) => 50_000 / 10 ** (term.match(/\++$/)?.[0].length ?? 0),
};
const sparse: TermStatistics = { size: 1_000_000, countOf: () => 0 };
const plan = (text: string, statistics = sparse, filter = {}) => {
  const query = parseQuery(text);
  const topic = { query, kinds: likelyKinds(query, null) };
  return planCandidates(topic, statistics, { ...NO_FILTER, ...filter });
};
const groupsOf = (text: string, statistics = sparse, filter = {}) =>
  plan(text, statistics, filter).steps.flatMap(({ groups }) => groups);

describe('planning a search', () => {
  it('looks for a word itself before its related words', () => {
    const { steps } = plan('coffee');
    const literal = steps.findIndex(({ groups }) => groups.flat().join(' ') === 'l:coffe');
    const meant = steps.findIndex(({ groups }) => groups.flat().includes('c:coffee'));
    expect(literal).toBeGreaterThanOrEqual(0);
    expect(meant).toBeGreaterThan(literal);
  });

  it('looks for names with two of the words before names with one', () => {
    const { steps } = plan('coffee wallet');
    const both = steps.findIndex(({ groups }) =>
      ['l:coffe', 'l:wallet'].every((term) => groups.some((group) => group.includes(term))),
    );
    const one = steps.findIndex(({ groups }) => groups.flat().join(' ') === 'l:coffe');
    expect(both).toBeGreaterThanOrEqual(0);
    expect(one).toBeGreaterThan(both);
  });

  it('looks for common words only in the better names', () => {
    expect(groupsOf('home').flat()).toContain('l:home');
    const dear = groupsOf('home', crowded).flat();
    expect(dear).toContain('l:home++');
    expect(dear).not.toContain('l:home');
  });

  it('limits every step to the requested suffixes', () => {
    for (const { groups } of plan('neon coffee', sparse, { tlds: ['io', 'ai'] }).steps) {
      expect(groups.length).toBeLessThanOrEqual(3);
      expect(groups.at(-1)).toEqual(['t:io', 't:ai']);
    }
  });

  it('looks for similar spellings only where Postgres sees letters', () => {
    expect(plan('zorblix').spellings).toEqual(['zorblix']);
    expect(plan('κήπος').spellings).toEqual([]);
  });

  it('takes more names with a similar meaning when a filter leaves few', () => {
    const plain = plan('coffee roaster').nearest;
    expect(plain).toBeGreaterThan(5);
    expect(plan('coffee roaster', sparse, { tlds: ['io'] }).nearest).toBeGreaterThan(plain);
    expect(plan('coffee roaster', crowded, { tlds: ['io'] }).nearest).toBeLessThanOrEqual(1_000);
  });

  it('is limited for any text', () => {
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
