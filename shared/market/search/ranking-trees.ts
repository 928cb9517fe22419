/** A decision over features: up to a value the one side, above it the other; at its end what it adds to a score. */
export type Tree = { feature: number; upTo: number; low: Tree; high: Tree } | { value: number };

/** Numbers of a node: the feature (-1 at an end), the value, and where the other side begins. */
const NODE = 3;

/** Little-endian floats as base64: each tree's nodes, the lower side right behind its node. */
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

/** The sum of what all trees of {@link encodeTrees} say of a row of features. */
export function decodeTrees(encoded: string): (features: Float32Array) => number {
  const bytes = Buffer.from(encoded, 'base64');
  const nodes = Float32Array.from({ length: bytes.length / 4 }, (_, at) =>
    bytes.readFloatLE(4 * at),
  );
  const roots: number[] = [];
  for (let at = 0; at < nodes.length; at = endOf(nodes, at)) roots.push(at);
  return (features) => {
    let sum = 0;
    for (let root = 0; root < roots.length; root += 1) {
      let at = roots[root] as number;
      for (;;) {
        const feature = nodes[at] as number;
        if (feature < 0) break;
        const isLow = (features[feature] as number) <= (nodes[at + 1] as number);
        at = isLow ? at + NODE : NODE * (nodes[at + 2] as number);
      }
      sum += nodes[at + 1] as number;
    }
    return sum;
  };
}

/** Where the next tree begins. */
function endOf(nodes: Float32Array, at: number): number {
  const isEnd = (nodes[at] as number) < 0;
  return isEnd ? at + NODE : endOf(nodes, NODE * (nodes[at + 2] as number));
}
