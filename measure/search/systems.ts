import type { SearchModel } from '../../shared/market/search/embeddings/embeddings.ts';
import { type SearchInput, searchListings } from '../../shared/market/search/search-listings.ts';
import { SEARCH_PARTS } from '../../shared/market/search/search-parts.ts';
import type { TestRuntime } from '../../test/support/runtime.ts';
import { createBm25 } from './baselines/bm25.ts';
import { type Document, readDocuments } from './baselines/documents.ts';
import { createEncoder } from './baselines/encoder.ts';
import { fuseRanks } from './baselines/fusion.ts';
import { createPostgresSearches } from './baselines/postgres.ts';

/** Answers a query with domains in Unicode, best first. */
export type System = (query: string) => Promise<string[]>;

/** Systems by name; each is a column in the tables. */
export type Systems = Record<string, System> & { ours: System };

/** The environment with the listings to evaluate. */
export const ENVIRONMENT = 'LIVE';

/** How many names a buyer sees, and how many of each list are fused. */
const SHOWN = 5;
const FUSED = 50;

/** What the baselines need, created on first use. */
interface Tools {
  documents(): Promise<Document[]>;
  encoder(): ReturnType<typeof createEncoder>;
  postgres(): ReturnType<typeof createPostgresSearches>;
}

/** The systems that ours is compared with. */
const BASELINES: Record<string, (tools: Tools) => Promise<System>> = {
  'BM25 labels': async ({ documents }) => {
    const bm25 = createBm25(await documents(), ['label', 'words', 'tld']);
    return async (query) => bm25(query, SHOWN);
  },
  'BM25 all texts': async ({ documents }) => {
    const bm25 = createBm25(await documents(), ['label', 'words', 'tld', 'texts']);
    return async (query) => bm25(query, SHOWN);
  },
  encoder: ({ encoder }) => encoder(),
  'BM25 + encoder': async ({ documents, encoder }) => {
    const bm25 = createBm25(await documents(), ['label', 'words', 'tld', 'texts']);
    const nearest = await encoder();
    return async (query) => fuseRanks([bm25(query, FUSED), await nearest(query)]);
  },
  'full-text OR': async ({ postgres }) => (await postgres()).fullText,
  trigrams: async ({ postgres }) => (await postgres()).trigrams,
};

/** The part that each variant of our search lacks, by column name. */
const VARIANTS = new Map(SEARCH_PARTS.map((part) => [`no ${part}`, part]));

/** Names that `prepareSystems` accepts; `parts` means every variant of ours that lacks one part. */
export const SYSTEM_NAMES = ['ours', 'parts', ...Object.keys(BASELINES), ...VARIANTS.keys()];

/**
 * Prepares our search and the systems to compare it with (`names`, or all baselines), over the current listings.
 * @throws Error for an unknown name
 */
export async function prepareSystems(
  runtime: TestRuntime & { embeddings?: SearchModel },
  names: readonly string[] = Object.keys(BASELINES),
): Promise<Systems> {
  const { db } = runtime;
  const documents = once(() => readDocuments(db, ENVIRONMENT));
  const tools: Tools = {
    documents,
    encoder: once(async () => createEncoder(await documents())),
    postgres: once(() => createPostgresSearches(db, ENVIRONMENT)),
  };
  const engine =
    (options: Pick<SearchInput, 'without'>): System =>
    async (query) => {
      const results = await searchListings(runtime, {
        ...options,
        environment: ENVIRONMENT,
        query,
      });
      return results.map(({ domainUnicode }) => domainUnicode);
    };
  const systems: Systems = { ours: engine({}) };
  for (const name of names.flatMap((each) => (each === 'parts' ? [...VARIANTS.keys()] : each))) {
    const part = VARIANTS.get(name);
    if (name === 'ours') continue;
    if (part) {
      systems[name] = engine({ without: [part] });
      continue;
    }
    const prepare = BASELINES[name];
    if (!prepare) throw new Error(`there is no system ${name}: ${SYSTEM_NAMES.join(', ')}`);
    systems[name] = await prepare(tools);
  }
  return systems;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
