import { createSentenceEncoder } from '../../../shared/market/search/embeddings/sentence-encoder.ts';
import { cosine } from '../../../shared/market/search/embeddings/vector.ts';
import type { Document } from './documents.ts';

const DEPTH = 50;

/** Ranks names only by how near their label and texts are to the query, with the encoder that search uses. */
export async function createEncoder(
  documents: readonly Document[],
): Promise<(query: string) => Promise<string[]>> {
  const encoder = createSentenceEncoder({ idleMs: Number.POSITIVE_INFINITY });
  const names = await encoder.embed(documents.map(textOf));
  const rank = async (query: string): Promise<string[]> => {
    if (query.trim() === '') return [];
    const [vector] = await encoder.embed([query]);
    if (!vector) return [];
    const nearness = Float32Array.from(names, (name) => cosine(vector, name));
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

/** Includes suffixes of four letters or more, which are mostly words: `nyc.pizza`. */
function textOf({ words, tld, texts }: Document): string {
  return `${words} ${/^[a-z]{4,}$/.test(tld) ? tld : ''} ${texts}`.trim();
}
