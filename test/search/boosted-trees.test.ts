import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createRandom } from '../../db/seeds/random.ts';
import { boostTrees, type RankedGroup } from '../../measure/search/boosted-trees.ts';
import { decodeTrees, encodeTrees, type Tree } from '../../shared/market/search/ranking-trees.ts';

const FEATURES = 3;
const value = fc.float({ noNaN: true, noDefaultInfinity: true, min: -1, max: 1 });
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    fc.record({ value }),
    fc.record({
      feature: fc.nat(FEATURES - 1),
      upTo: value,
      low: tie('tree'),
      high: tie('tree'),
    }),
  ),
}));

function sumOver(of: Tree, row: Float32Array): number {
  if ('value' in of) return of.value;
  return sumOver((row[of.feature] as number) <= of.upTo ? of.low : of.high, row);
}

describe('boosted trees', () => {
  it('give the same scores after encoding and decoding', () => {
    const rows = fc.float32Array({ minLength: FEATURES, maxLength: FEATURES, noNaN: true });
    fc.assert(
      fc.property(fc.array(tree, { maxLength: 4 }), rows, (trees, row) => {
        const sum = trees.reduce((all, each) => all + sumOver(each, row), 0);
        expect(decodeTrees(encodeTrees(trees))(row)).toBeCloseTo(sum, 5);
      }),
    );
  });

  it('learn a ranking that no linear model can', () => {
    const random = createRandom(1);
    const groups = Array.from({ length: 150 }, (): RankedGroup => {
      const rows = Array.from({ length: 20 }, () => [random.next(), random.next(), random.next()]);
      // The best rows are near the middle of one feature; another feature is irrelevant.
      const gains = rows.map(([one = 0, , other = 0]) =>
        Math.abs(one - 0.5) < 0.15 && other > 0.3 ? 3 : 0,
      );
      return { rows, gains, ideal: 3, weight: 1 };
    });
    const sumOf = decodeTrees(encodeTrees(boostTrees(groups)));
    const firsts = groups.map(({ rows, gains }) => {
      const sums = rows.map((row) => sumOf(Float32Array.from(row)));
      return gains[sums.indexOf(Math.max(...sums))];
    });
    const answerable = groups.filter(({ gains }) => gains.includes(3)).length;
    expect(firsts.filter((gain) => gain === 3).length / answerable).toBeGreaterThan(0.95);
  });
});
