/** A row of features, the value to predict (0 to 1), and its weight. */
export interface Example {
  features: ArrayLike<number>;
  target: number;
  weight: number;
}

const ROUNDS = 25;
const SAME = 1e-7;

/**
 * Fits a logistic regression with Newton's method. Returns the bias, then a weight for each feature. `penalty` is the
 * L2 regularization, relative to the mean loss.
 */
export function fitLogistic(examples: readonly Example[], penalty: number): Float64Array {
  const size = (examples[0]?.features.length ?? 0) + 1;
  const all = examples.reduce((sum, { weight }) => sum + weight, 0);
  let beta = new Float64Array(size);
  for (let round = 0; round < ROUNDS; round += 1) {
    const gradient = Float64Array.from(beta, (value, at) => (at === 0 ? 0 : penalty * value));
    const curvature = Array.from({ length: size }, (_, at) => {
      const row = new Float64Array(size);
      row[at] = at === 0 ? 1e-9 : penalty;
      return row;
    });
    for (const { features, target, weight } of examples) {
      const row = new Float64Array(size);
      row[0] = 1;
      row.set(Array.from(features), 1);
      let sum = 0;
      for (let at = 0; at < size; at += 1) sum += (beta[at] as number) * (row[at] as number);
      const given = 1 / (1 + Math.exp(-sum));
      const share = weight / all;
      const error = share * (given - target);
      const bend = share * Math.max(given * (1 - given), 1e-6);
      for (let at = 0; at < size; at += 1) {
        const value = row[at] as number;
        if (value === 0) continue;
        gradient[at] = (gradient[at] as number) + error * value;
        const line = curvature[at] as Float64Array;
        for (let other = 0; other <= at; other += 1) {
          line[other] = (line[other] as number) + bend * value * (row[other] as number);
        }
      }
    }
    const step = solve(curvature, gradient);
    beta = beta.map((value, at) => value - (step[at] as number));
    if (Math.max(...step.map(Math.abs)) < SAME) break;
  }
  return beta;
}

/** Solves a positive definite system, given its lower half, by Cholesky decomposition. Overwrites `lower`. */
function solve(lower: Float64Array[], right: Float64Array): Float64Array {
  const size = right.length;
  const value = (row: number, column: number) => (lower[row] as Float64Array)[column] as number;
  for (let row = 0; row < size; row += 1) {
    const own = lower[row] as Float64Array;
    for (let column = 0; column <= row; column += 1) {
      let sum = value(row, column);
      for (let at = 0; at < column; at += 1) sum -= value(row, at) * value(column, at);
      own[column] = row === column ? Math.sqrt(Math.max(sum, 1e-12)) : sum / value(column, column);
    }
  }
  const found = Float64Array.from(right);
  for (let row = 0; row < size; row += 1) {
    for (let at = 0; at < row; at += 1) {
      found[row] = (found[row] as number) - value(row, at) * (found[at] as number);
    }
    found[row] = (found[row] as number) / value(row, row);
  }
  for (let row = size - 1; row >= 0; row -= 1) {
    for (let at = row + 1; at < size; at += 1) {
      found[row] = (found[row] as number) - value(at, row) * (found[at] as number);
    }
    found[row] = (found[row] as number) / value(row, row);
  }
  return found;
}
