import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { delistListing } from '../../../shared/market/inventory/change-listings.ts';
import { addListings } from '../../../shared/market/inventory/import-listings.ts';
import { explainSearch } from '../../../shared/market/search/explain-search.ts';
import { searchListings } from '../../../shared/market/search/search-listings.ts';
import { refreshAllEmbeddings } from '../../support/embeddings.ts';
import {
  type EmbeddingsStandIn,
  startEmbeddingsStandIn,
} from '../../support/embeddings-stand-in.ts';
import { createTestRuntime, joinRuntime, type TestRuntime } from '../../support/runtime.ts';

/** Enough dimensions to keep unrelated texts far apart. */
const DIMENSIONS = 512;
/** A query that shares no word with any name. */
const QUERY = 'plomvik grandolt';
const WANTED = 'brimtal.com';
const OTHERS = Array.from({ length: 120 }, (_, at) => `zorvex${at}.com`);

let endpoint: EmbeddingsStandIn;
let runtime: TestRuntime;
beforeEach(async () => {
  endpoint = await startEmbeddingsStandIn();
  // All texts are unrelated, except for the query and the wanted name.
  endpoint.knows((text) =>
    directionOf(/brimtal|plomvik/.test(text.replaceAll(' ', '')) ? 'the same' : text),
  );
  runtime = await createTestRuntime({
    EMBEDDINGS_URL: endpoint.url,
    EMBEDDINGS_MODEL: 'small',
    embeddingsBudgetMs: 20_000,
  });
  await list([WANTED, ...OTHERS]);
  await refresh();
});
afterEach(async () => {
  await runtime.stop();
  await endpoint.close();
});

/** A distinct direction for each text. */
function directionOf(text: string): number[] {
  const bytes = createHash('shake256', { outputLength: DIMENSIONS }).update(text).digest();
  return Array.from(bytes, (byte) => byte - 127.5);
}

const list = (domains: readonly string[], environment: 'SANDBOX' | 'LIVE' = 'SANDBOX') =>
  addListings(runtime, {
    environment,
    listings: domains.map((domain) => ({ domain, priceCents: 20_000 })),
  });
const refresh = () => refreshAllEmbeddings(runtime);
const search = async (query = QUERY, deps: Parameters<typeof searchListings>[0] = runtime) =>
  (await searchListings(deps, { environment: 'SANDBOX', query })).map(({ domain }) => domain);

describe('search with an embedding model', () => {
  it('finds names that share no word with the query', async () => {
    expect(await search()).toEqual([WANTED]);
    const without = await joinRuntime(runtime, { EMBEDDINGS_URL: '' });
    expect(await search(QUERY, without)).toEqual([]);
    await without.stop();
  });

  it('finds nothing for a query that is not near any name', async () => {
    expect(await search('quendrip wolfast')).toEqual([]);
  });

  it('finds only listed names in the same environment and within the limits', async () => {
    await list(['brimtal.net'], 'LIVE');
    await refresh();
    expect(await search()).toEqual([WANTED]);
    expect(await search(`${QUERY} under $100`)).toEqual([]);
    await delistListing(runtime, { environment: 'SANDBOX', domain: WANTED });
    expect(await search()).toEqual([]);
  });

  it('still finds names after the inventory outgrows its vector cells', async () => {
    const before = await runtime.db.knex('embedding_cells').first();
    await list(Array.from({ length: 400 }, (_, at) => `mevlar${at}.com`));
    await refresh();
    const after = await runtime.db.knex('embedding_cells').first();
    expect(after.id).not.toBe(before.id);
    expect(await search('plomvik')).toEqual([WANTED]);
  });

  it('shows up as its own leg in explainSearch', async () => {
    const { legs, results } = await explainSearch(runtime, {
      environment: 'SANDBOX',
      query: QUERY,
    });
    expect(legs.map(({ name }) => name)).toContain('Meaning');
    expect(results[0]).toMatchObject({
      legs: expect.arrayContaining(['Meaning']),
      reason: { features: { meaning: expect.closeTo(1, 3) } },
    });
  });
});
