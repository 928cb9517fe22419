import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { addListings } from '../../../shared/market/inventory/import-listings.ts';
import { searchListings } from '../../../shared/market/search/search-listings.ts';
import { refreshAllEmbeddings } from '../../support/embeddings.ts';
import {
  type EmbeddingsStandIn,
  inBase64,
  startEmbeddingsStandIn,
} from '../../support/embeddings-stand-in.ts';
import { eventually } from '../../support/eventually.ts';
import { createTestRuntime, joinRuntime, type TestRuntime } from '../../support/runtime.ts';

/** Shares no word with any name; only the endpoint relates it to one. */
const QUERY = 'plomvik';
const WANTED = 'brimtal.com';
/** As many names as it takes to build vector cells. */
const OTHERS = Array.from({ length: 20 }, (_, at) => `zorvex${at}.com`);
/** Long enough for any machine. */
const PATIENT_MS = 20_000;
const FAILURES_TO_OPEN = 5;

let endpoint: EmbeddingsStandIn;
let runtime: TestRuntime;
beforeEach(async () => {
  endpoint = await startEmbeddingsStandIn();
  runtime = await createTestRuntime({
    EMBEDDINGS_URL: endpoint.url,
    EMBEDDINGS_MODEL: 'small',
    embeddingsBudgetMs: PATIENT_MS,
  });
  const listings = [WANTED, ...OTHERS].map((domain) => ({ domain, priceCents: 10_000 }));
  await addListings(runtime, { environment: 'SANDBOX', listings });
  knowsTheQuery();
  await refreshAllEmbeddings(runtime);
  endpoint.calls.length = 0;
});
afterEach(async () => {
  await runtime.stop();
  await endpoint.close();
});

/** Makes the endpoint consider only the query and the wanted name similar. */
function knowsTheQuery(): void {
  endpoint.knows((text) =>
    /brimtal|plomvik/.test(text.replaceAll(' ', '')) ? [1, 0.1] : [-0.1, 1],
  );
}

type Deps = Parameters<typeof searchListings>[0];
const search = async (query = QUERY, deps: Deps = runtime) =>
  (await searchListings(deps, { environment: 'SANDBOX', query })).map(({ domain }) => domain);

describe('search with an embeddings endpoint', () => {
  it('requests the embedding of a query once, however often it is searched', async () => {
    await Promise.all([search(), search(` ${QUERY.toUpperCase()}`)]);
    expect(await search()).toEqual([WANTED]);
    expect(endpoint.calls.map(({ input }) => input)).toEqual([[QUERY]]);
  });

  it('does not wait for a slow answer but uses it for the next search', async () => {
    const hasty = await joinRuntime(runtime, { embeddingsBudgetMs: 100 });
    let release = () => {};
    endpoint.holds(
      new Promise((resolve) => {
        release = resolve;
      }),
    );
    expect(await search(QUERY, hasty)).toEqual([]);
    release();
    await eventually(
      () => search(QUERY, hasty),
      ([first]) => first === WANTED,
    );
    expect(endpoint.calls).toHaveLength(1);
    await hasty.stop();
  });

  it.each([
    ['an error', { status: 500, body: {} }],
    ['plain text', { status: 200, body: 'hello' }],
    [
      'vectors of another dimension',
      { status: 200, body: { data: [{ embedding: inBase64([1, 2, 3]) }] } },
    ],
    ['text in place of numbers', { status: 200, body: { data: [{ embedding: ['x'] }] } }],
    ['an oversized body', { status: 200, body: { data: 'x'.repeat(300_000) } }],
  ])('falls back to word matching when the endpoint returns %s', async (_what, reply) => {
    endpoint.answers(() => reply);
    expect(await search('brimtal')).toEqual([WANTED]);
    expect(await search('zorvex7')).toContain('zorvex7.com');
  });

  it('stops calling an endpoint that keeps failing and retries it after 30 seconds', async () => {
    endpoint.answers(() => ({ status: 500, body: {} }));
    for (let at = 0; at < FAILURES_TO_OPEN + 3; at += 1) await search(`quendrip${at}`);
    expect(endpoint.calls).toHaveLength(FAILURES_TO_OPEN);

    knowsTheQuery();
    runtime.clock.advance(30_000);
    expect(await search()).toEqual([WANTED]);
  });

  it('calls no endpoint when none is configured', async () => {
    const without = await joinRuntime(runtime, { EMBEDDINGS_URL: '' });
    expect(await search('brimtal', without)).toEqual([WANTED]);
    expect(await search(QUERY, without)).toEqual([]);
    await without.stop();
    expect(endpoint.calls).toEqual([]);
  });

  it('reads names and their vectors in one SQL statement', async () => {
    await search();
    const statements: string[] = [];
    runtime.db.knex.on('query', ({ sql }: { sql: string }) => statements.push(sql));
    expect(await search()).toEqual([WANTED]);
    expect(statements).toHaveLength(1);
  });
});

describe('refreshing embeddings', () => {
  it('keeps working after every embedded listing is delisted', async () => {
    await runtime.db.knex('listings').update({ status: 'delisted' });
    await refreshAllEmbeddings(runtime);
    await refreshAllEmbeddings(runtime);
    expect(await runtime.db.knex('listing_embeddings').select()).toEqual([]);
    expect(await search()).toEqual([]);
  });
});
