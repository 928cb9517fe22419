import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fitLogistic } from '../../measure/search/logistic.ts';

const likelihood = (
  [bias = 0, ...weights]: ArrayLike<number> & Iterable<number>,
  x: readonly number[],
) => 1 / (1 + Math.exp(-x.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), bias)));

/** A grid of points, each labeled positive with the probability given by `truth`. */
function examplesOf(truth: readonly number[]) {
  const values = [-1, -0.5, 0, 0.5, 1];
  return values.flatMap((one) =>
    values.map((other) => ({
      features: [one, other],
      target: likelihood(truth, [one, other]),
      weight: 1,
    })),
  );
}

describe('logistic regression', () => {
  it('recovers the weights that generated its examples', () => {
    const weight = fc.double({ min: -3, max: 3, noNaN: true });
    fc.assert(
      fc.property(weight, weight, weight, (...truth) => {
        const found = fitLogistic(examplesOf(truth), 1e-9);
        for (const [at, value] of truth.entries()) expect(found[at]).toBeCloseTo(value, 3);
      }),
      { numRuns: 50 },
    );
  });

  it('shrinks weights by its penalty but not the bias', () => {
    const examples = examplesOf([1, 2, -2]);
    const [, free = 0] = fitLogistic(examples, 1e-9);
    const [bias = 0, held = 0] = fitLogistic(examples, 1);
    expect(Math.abs(held)).toBeLessThan(Math.abs(free) / 2);
    expect(bias).toBeGreaterThan(0.3);
  });

  it('counts examples by their weight', () => {
    const [bias = 0] = fitLogistic(
      [
        { features: [0], target: 1, weight: 3 },
        { features: [0], target: 0, weight: 1 },
      ],
      1e-3,
    );
    expect(1 / (1 + Math.exp(-bias))).toBeCloseTo(0.75, 3);
  });
});
