/** A decision tree over features: `low` up to a value, `high` above it. A leaf holds the value to add to the score. */
export type Tree = { feature: number; upTo: number; low: Tree; high: Tree } | { value: number };

/** Numbers per node: the feature (-1 for a leaf), the value, and the position of the high branch. */
const NODE = 3;

/** Encodes trees as little-endian floats in base64; the low branch directly follows its node. */
export function encodeTrees(trees: readonly Tree[]): string {
  const nodes: number[] = [];
  const add = (tree: Tree) => {
    const at = nodes.length;
    if ('value' in tree) {
      nodes.push(-1, tree.value, 0);
      return;
    }
    nodes.push(tree.feature, tree.upTo, 0);
    add(tree.low);
    nodes[at + 2] = nodes.length / NODE;
    add(tree.high);
  };
  for (const tree of trees) add(tree);
  const bytes = Buffer.alloc(4 * nodes.length);
  for (const [at, value] of nodes.entries()) bytes.writeFloatLE(value, 4 * at);
  return bytes.toString('base64');
}

/** Returns a function that sums the values of all trees of {@link encodeTrees} for a row of features. */
export function decodeTrees(encoded: string): (features: Float32Array) => number {
  const bytes = Buffer.from(encoded, 'base64');
  const size = bytes.length / (4 * NODE);
  const field = (place: number) => (_: unknown, node: number) =>
    bytes.readFloatLE(4 * (NODE * node + place));
  // Integers are stored as such: a search walks all trees for a hundred names.
  const feature = Int32Array.from({ length: size }, field(0));
  const value = Float32Array.from({ length: size }, field(1));
  const high = Int32Array.from({ length: size }, field(2));
  const roots: number[] = [];
  for (let node = 0; node < size; node = endOf({ feature, high }, node)) roots.push(node);
  return (features) => {
    let sum = 0;
    for (let root = 0; root < roots.length; root += 1) {
      let node = roots[root] as number;
      for (;;) {
        const at = feature[node] as number;
        if (at < 0) break;
        const isLow = (features[at] as number) <= (value[node] as number);
        node = isLow ? node + 1 : (high[node] as number);
      }
      sum += value[node] as number;
    }
    return sum;
  };
}

/** Returns where the next tree begins. */
function endOf(nodes: Record<'feature' | 'high', Int32Array>, node: number): number {
  const isEnd = (nodes.feature[node] as number) < 0;
  return isEnd ? node + 1 : endOf(nodes, nodes.high[node] as number);
}
