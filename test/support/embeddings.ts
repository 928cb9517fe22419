import type { Runtime } from './runtime.ts';

/** Brings the vectors of all listings up to date: a pass ends after a while, so it may take several. */
export async function refreshAllEmbeddings({
  embeddings,
}: Pick<Runtime, 'embeddings'>): Promise<void> {
  const { signal } = new AbortController();
  while ((await embeddings.refresh(signal))?.embedded);
}
