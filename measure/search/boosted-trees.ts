import type { Tree } from '../../shared/market/search/ranking-trees.ts';
import { deltasOf } from './lambda-rank.ts';

/** The candidates for a query: the features of each, its gain as an answer, and the query's weight. */
export interface RankedGroup {
  rows: readonly ArrayLike<number>[];
  gains: readonly number[];
  /** The gain of the best order of all names in the inventory. */
  ideal: number;
  weight: number;
}

const TREES = 100;
const RATE = 0.12;
const LEAVES = 15;
const BINS = 64;
/** The minimum number of names, and minimum curvature, in a leaf. */
const LEAST = { rows: 150, curvature: 1e-3 } as const;
const PENALTY = 0.5;

/**
 * Grows trees whose sum ranks good names first (LambdaMART: Burges, "From RankNet to LambdaRank to LambdaMART", 2010).
 * Each tree is fitted to how much nDCG@5 would improve if a name ranked higher. A higher value of a `rising` feature
 * never lowers the sum.
 */
export function boostTrees(
  groups: readonly RankedGroup[],
  rising: ReadonlySet<number> = new Set(),
): Tree[] {
  const rows = groups.flatMap((group) => group.rows);
  const { bins, edges } = binned(rows);
  const scores = new Float64Array(rows.length);
  const trees: Tree[] = [];
  for (let round = 0; round < TREES; round += 1) {
    const { slopes, bends } = deltasOf(groups, scores);
    trees.push(growTree({ bins, edges, rising }, slopes, bends, scores));
  }
  return trees;
}

interface Features {
  /** By feature, the bin of each row. */
  bins: readonly Uint8Array[];
  /** By feature, the value at which each bin ends; the last bin is open. */
  edges: readonly Float64Array[];
  rising: ReadonlySet<number>;
}

/** Sorts the features of all rows into bins. */
function binned(rows: readonly ArrayLike<number>[]): Pick<Features, 'bins' | 'edges'> {
  const size = rows[0]?.length ?? 0;
  const edges = Array.from({ length: size }, (_, feature) => {
    const values = Float64Array.from(rows, (row) => row[feature] as number).sort();
    const different = Float64Array.from(new Set(values));
    // Half of the bins split the rows evenly, half the distinct values, so that rare values are told apart, too.
    const ends = [values, different].flatMap((sorted) =>
      Array.from(
        { length: BINS / 2 - 1 },
        (_, bin) => sorted[Math.floor(((bin + 1) / (BINS / 2)) * (sorted.length - 1))] as number,
      ),
    );
    return Float64Array.from(new Set([different[0] as number, ...ends])).sort();
  });
  const bins = edges.map((ends, feature) =>
    Uint8Array.from(rows, (row) => binOf(ends, row[feature] as number)),
  );
  return { bins, edges };
}

/** Returns the bin of a value: the number of bins that end below it. */
function binOf(ends: Float64Array, value: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ends[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Split {
  gain: number;
  feature: number;
  bin: number;
  /** The mean of both sides' steps. */
  middle: number;
}

/** Limits on a node's step, so that the rising features split above it stay rising. */
type Bounds = readonly [least: number, most: number];

/** A node while its tree grows. */
interface Growing {
  rows: Uint32Array;
  /** By feature and bin: the sum of slopes, the sum of bends, and the number of rows. */
  sums: Float64Array;
  bounds: Bounds;
  split: Split | null;
  children: [Growing, Growing] | null;
}

/** Splits the leaf with the most gain until there are enough, and adds the values of the leaves to the scores. */
function growTree(
  { bins, edges, rising }: Features,
  slopes: Float64Array,
  bends: Float64Array,
  scores: Float64Array,
): Tree {
  const sumsOf = (rows: Uint32Array): Float64Array => {
    const sums = new Float64Array(bins.length * BINS * 3);
    for (const [feature, column] of bins.entries()) {
      const from = feature * BINS;
      for (const row of rows) {
        const at = 3 * (from + (column[row] as number));
        sums[at] = (sums[at] as number) + (slopes[row] as number);
        sums[at + 1] = (sums[at + 1] as number) + (bends[row] as number);
        sums[at + 2] = (sums[at + 2] as number) + 1;
      }
    }
    return sums;
  };
  const leafOf = (rows: Uint32Array, sums: Float64Array, bounds: Bounds): Growing => ({
    rows,
    sums,
    bounds,
    split: bestSplit(sums, bins.length, rising, bounds),
    children: null,
  });
  const all = Uint32Array.from(scores.keys());
  const root = leafOf(all, sumsOf(all), [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
  const leaves = [root];
  while (leaves.length < LEAVES) {
    const most = leaves.reduce((a, b) => ((b.split?.gain ?? 0) > (a.split?.gain ?? 0) ? b : a));
    if (most.split === null) break;
    const { feature, bin, middle } = most.split;
    const column = bins[feature] as Uint8Array;
    const low = most.rows.filter((row) => (column[row] as number) <= bin);
    const high = most.rows.filter((row) => (column[row] as number) > bin);
    const isLowLess = low.length < high.length;
    const lessSums = sumsOf(isLowLess ? low : high);
    // The sums of the larger half are the rest of the whole.
    const moreSums = most.sums.map((sum, at) => sum - (lessSums[at] as number));
    const [least, highest] = most.bounds;
    const isRising = rising.has(feature);
    most.children = [
      leafOf(low, isLowLess ? lessSums : moreSums, [least, isRising ? middle : highest]),
      leafOf(high, isLowLess ? moreSums : lessSums, [isRising ? middle : least, highest]),
    ];
    leaves.splice(leaves.indexOf(most), 1, ...most.children);
  }
  for (const { rows, sums, bounds } of leaves) {
    const value = RATE * stepOf(totalOf(sums), bounds);
    for (const row of rows) scores[row] = (scores[row] as number) + value;
  }
  const toTree = ({ sums, bounds, split, children }: Growing): Tree =>
    split && children
      ? {
          feature: split.feature,
          upTo: edges[split.feature]?.[split.bin] as number,
          low: toTree(children[0]),
          high: toTree(children[1]),
        }
      : { value: RATE * stepOf(totalOf(sums), bounds) };
  return toTree(root);
}

interface Total {
  slope: number;
  bend: number;
  rows: number;
}

/** Adds up all bins of the first feature; each feature covers all rows. */
function totalOf(column: Float64Array): Total {
  const total = { slope: 0, bend: 0, rows: 0 };
  for (let bin = 0; bin < BINS; bin += 1) {
    total.slope += column[3 * bin] as number;
    total.bend += column[3 * bin + 1] as number;
    total.rows += column[3 * bin + 2] as number;
  }
  return total;
}

/** Returns the Newton step of a node, within its bounds. */
function stepOf({ slope, bend }: Total, [least, most]: Bounds): number {
  return Math.min(most, Math.max(least, slope / (bend + PENALTY)));
}

/** Returns twice the amount by which a step reduces the loss. */
function worthOf({ slope, bend }: Total, step: number): number {
  return 2 * slope * step - (bend + PENALTY) * step * step;
}

/** Returns the best split, or null if none gains anything and leaves enough on both sides. */
function bestSplit(
  sums: Float64Array,
  features: number,
  rising: ReadonlySet<number>,
  bounds: Bounds,
): Split | null {
  const all = totalOf(sums);
  const before = worthOf(all, stepOf(all, bounds));
  let best: Split | null = null;
  for (let feature = 0; feature < features; feature += 1) {
    const column = sums.subarray(3 * feature * BINS, 3 * (feature + 1) * BINS);
    const low: Total = { slope: 0, bend: 0, rows: 0 };
    for (let bin = 0; bin < BINS - 1; bin += 1) {
      low.slope += column[3 * bin] as number;
      low.bend += column[3 * bin + 1] as number;
      low.rows += column[3 * bin + 2] as number;
      const high = {
        slope: all.slope - low.slope,
        bend: all.bend - low.bend,
        rows: all.rows - low.rows,
      };
      if (low.rows < LEAST.rows || low.bend < LEAST.curvature) continue;
      if (high.rows < LEAST.rows || high.bend < LEAST.curvature) break;
      const [under, over] = [stepOf(low, bounds), stepOf(high, bounds)];
      if (rising.has(feature) && under > over) continue;
      const gain = worthOf(low, under) + worthOf(high, over) - before;
      if (gain > (best?.gain ?? 1e-6)) best = { gain, feature, bin, middle: (under + over) / 2 };
    }
  }
  return best;
}
