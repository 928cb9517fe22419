import type { Runtime } from './runtime.ts';

/** Updates the vectors of all listings: a pass ends after a while, so it may take several. */
export async function refreshAllEmbeddings({
  embeddings,
}: Pick<Runtime, 'embeddings'>): Promise<void> {
  const { signal } = new AbortController();
  while ((await embeddings.refresh(signal))?.embedded);
}
