import type { RankedGroup } from './boosted-trees.ts';

/** Only pairs with a name among this many first ones are compared. CLOSE limits the weight of nearly equal scores. */
const COMPARED = 8;
const CLOSE = 0.01;

/**
 * Returns how each name's score should move to raise nDCG (slope), and how fast that changes (bend). It compares every
 * two names of a query of which one is the better answer, weighted by how much nDCG changes if they swap places.
 */
export function deltasOf(
  groups: readonly RankedGroup[],
  scores: Float64Array,
): { slopes: Float64Array; bends: Float64Array } {
  const slopes = new Float64Array(scores.length);
  const bends = new Float64Array(scores.length);
  let start = 0;
  for (const { gains, ideal, weight } of groups) {
    const order = Array.from(gains, (_, at) => start + at).sort(
      (a, b) => (scores[b] as number) - (scores[a] as number),
    );
    let all = 0;
    for (let high = 0; high < Math.min(COMPARED, order.length); high += 1) {
      for (let low = high + 1; low < order.length; low += 1) {
        const [one, other] = [order[high] as number, order[low] as number];
        const gained = (gains[one - start] as number) - (gains[other - start] as number);
        const moved = discount(high) - discount(low);
        if (gained === 0) continue;
        const [better, worse] = gained > 0 ? [one, other] : [other, one];
        const apart = (scores[better] as number) - (scores[worse] as number);
        // Pairs with scores far apart weigh less.
        const worth = (Math.abs(gained) * moved) / ideal / (CLOSE + Math.abs(apart));
        const doubt = 1 / (1 + Math.exp(apart));
        all += 2 * worth * doubt;
        slopes[better] = (slopes[better] as number) + worth * doubt;
        slopes[worse] = (slopes[worse] as number) - worth * doubt;
        const bend = worth * doubt * (1 - doubt);
        bends[better] = (bends[better] as number) + bend;
        bends[worse] = (bends[worse] as number) + bend;
      }
    }
    // So that a query with many good names doesn't outweigh others.
    const share = all === 0 ? 0 : (weight * Math.log2(1 + all)) / all;
    for (let at = start; at < start + gains.length; at += 1) {
      slopes[at] = share * (slopes[at] as number);
      bends[at] = share * (bends[at] as number);
    }
    start += gains.length;
  }
  return { slopes, bends };
}

function discount(at: number): number {
  return 1 / Math.log2(at + 2);
}
