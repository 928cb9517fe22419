import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { delistListing, repriceListing } from '../../../shared/market/inventory/change-listings.ts';
import { addListings } from '../../../shared/market/inventory/import-listings.ts';
import type { ListingInput } from '../../../shared/market/inventory/listing.ts';
import { refreshEmbeddings } from '../../../shared/market/search/embeddings/embed-listings.ts';
import { MINUTE } from '../../../shared/platform/clock.ts';
import { refreshEmbeddingsTask } from '../../../workers/scheduled/derived-data.ts';
import {
  type EmbeddingsStandIn,
  startEmbeddingsStandIn,
} from '../../support/embeddings-stand-in.ts';
import { createTestRuntime, joinRuntime, type TestRuntime } from '../../support/runtime.ts';
import { rowsReadBy, statementsOf } from '../../support/statements.ts';

const BATCH = 2;

let endpoint: EmbeddingsStandIn;
let runtime: TestRuntime;
beforeEach(async () => {
  endpoint = await startEmbeddingsStandIn();
  runtime = await createTestRuntime({
    EMBEDDINGS_URL: endpoint.url,
    EMBEDDINGS_MODEL: 'small',
    EMBEDDINGS_API_KEY: 'key-of-ours',
    embeddingsBatchSize: BATCH,
  });
});
afterEach(async () => {
  await runtime.stop();
  await endpoint.close();
});

const domain = 'neonwallet.com';
const refresh = () => refreshEmbeddingsTask.run({ runtime, signal: new AbortController().signal });
const list = (...listings: (Partial<ListingInput> & { domain: string })[]) =>
  addListings(runtime, {
    environment: 'SANDBOX',
    listings: listings.map((listing) => ({ priceCents: 10_000, ...listing })),
  });
const texts = () => endpoint.calls.flatMap(({ input }) => input);
const embedded = async (): Promise<Record<string, string>> => {
  const rows = await runtime.db
    .knex('listing_embeddings as e')
    .join('listings as l', 'l.id', 'e.listing_id')
    .select('l.domain', 'e.model');
  return Object.fromEntries(rows.map((row) => [row.domain, row.model]));
};

describe('refreshing embeddings', () => {
  it('embeds new listings once, in batches, with the API key', async () => {
    await list({ domain: 'a.com' }, { domain: 'b.com' }, { domain: 'c.com' });
    expect(await refresh()).toEqual({ embedded: 3, refused: 0, dropped: 0 });
    expect(endpoint.calls.map(({ input }) => input.length)).toEqual([BATCH, 1]);
    expect(endpoint.calls[0]).toMatchObject({
      model: 'small',
      authorization: 'Bearer key-of-ours',
    });
    expect(await refresh()).toEqual({ embedded: 0, refused: 0, dropped: 0 });
    expect(endpoint.calls).toHaveLength(2);
  });

  it('embeds again when the description or keywords change, not when the price does', async () => {
    await list({ domain, keywords: ['coin', 'wallet'] });
    await refresh();
    await repriceListing(runtime, { environment: 'SANDBOX', domain, priceCents: 20_000 });
    await refresh();
    expect(texts()).toEqual(['neon wallet. coin, wallet']);

    await list({ domain, keywords: ['purse'] });
    await refresh();
    expect(texts().slice(1)).toEqual(['neon wallet. purse']);

    await list({ domain, keywords: [], description: 'For a shop.' });
    await refresh();
    expect(texts().slice(2)).toEqual(['neon wallet. For a shop.']);
  });

  it('embeds everything again when another model is configured', async () => {
    await list({ domain });
    await refresh();
    const other = await joinRuntime(runtime, { EMBEDDINGS_MODEL: 'large' });
    await other.embeddings.refresh(new AbortController().signal);
    await other.stop();
    expect(await embedded()).toEqual({ [domain]: 'large' });
  });

  it('drops the embeddings of listings that are no longer for sale', async () => {
    await list({ domain }, { domain: 'b.com' });
    await refresh();
    await delistListing(runtime, { environment: 'SANDBOX', domain });
    expect(await refresh()).toEqual({ embedded: 0, refused: 0, dropped: 1 });
    expect(await embedded()).toEqual({ 'b.com': 'small' });
  });

  it('skips only the text that the endpoint rejects', async () => {
    await list({ domain: 'a.com' }, { domain: 'b.com' }, { domain: 'c.com' }, { domain: 'd.com' });
    endpoint.answers(({ input }) =>
      input.includes('c')
        ? { status: 400, body: { error: 'no' } }
        : { status: 200, body: { data: input.map(() => ({ embedding: [1, 2] })) } },
    );
    expect(await refresh()).toEqual({ embedded: 3, refused: 1, dropped: 0 });
    expect(Object.keys(await embedded()).sort()).toEqual(['a.com', 'b.com', 'd.com']);
  });

  it.each([
    ['an error', { status: 500, body: {} }],
    ['no vectors', { status: 200, body: { data: [] } }],
    ['only refusals', { status: 400, body: {} }],
  ])('fails when the endpoint returns %s and resumes on the next run', async (_what, reply) => {
    await list({ domain: 'a.com' }, { domain: 'b.com' });
    endpoint.answers(() => reply);
    await expect(refresh()).rejects.toThrow();
    expect(await embedded()).toEqual({});
    endpoint.knows(() => [1, 0]);
    expect(await refresh()).toMatchObject({ embedded: 2 });
  });

  it('leaves what it has no time for to the next run', async () => {
    await list({ domain: 'a.com' }, { domain: 'b.com' }, { domain: 'c.com' });
    endpoint.knows(() => {
      runtime.clock.advance(MINUTE);
      return [1, 0];
    });
    expect(await refresh()).toMatchObject({ embedded: BATCH });
    expect(await refresh()).toMatchObject({ embedded: 1 });
  });

  it('keeps each step of a model that takes few texts at a time, however slow it is', async () => {
    await list({ domain: 'a.com' }, { domain: 'b.com' }, { domain: 'c.com' });
    const embedder = {
      model: 'slow',
      english: true,
      atOnce: 1,
      async embed(texts: readonly string[]) {
        runtime.clock.advance(MINUTE);
        return texts.map(() => Float32Array.of(1, 0));
      },
      close: async () => {},
    };
    const pass = () => refreshEmbeddings({ ...runtime, embedder }, 3, new AbortController().signal);
    expect(await pass()).toMatchObject({ embedded: 1 });
    expect(await pass()).toMatchObject({ embedded: 1 });
    expect(await embedded()).toEqual({ 'a.com': 'slow', 'b.com': 'slow' });
  });

  it('finds the next batch without reading the embeddings before it', async () => {
    const [vectors, missing, batch] = [5_000, 130, 64];
    await list(
      ...Array.from({ length: vectors + missing }, (_, at) => ({ domain: `name${at}.com` })),
    );
    await runtime.db.knex.raw(
      `insert into listing_embeddings
         (listing_id, environment, model, text_hash, vector, listing_updated_at)
       select id, environment, 'small', sha256(''), decode(repeat('01', 256), 'hex'), updated_at
       from listings order by id limit ?`,
      [vectors],
    );
    await runtime.db.knex.raw('analyze listings, listing_embeddings');
    const larger = await joinRuntime(runtime, { embeddingsBatchSize: batch });
    const sent = await statementsOf(larger, () =>
      larger.embeddings.refresh(new AbortController().signal),
    );
    const searches = sent.filter(({ sql }) => sql.startsWith('select l.id, l.domain_unicode'));
    expect(searches).toHaveLength(Math.ceil(missing / batch) + 1);
    for (const statement of searches.slice(1)) {
      // With more vectors, Postgres uses a merge join; with this few, it would use a nested loop.
      const settings = 'set local enable_nestloop = off';
      const read = await rowsReadBy(larger, statement, 'listing_embeddings', settings);
      expect(read).toBeLessThan(2 * batch);
    }
    await larger.stop();
  });

  it('does nothing when no model is configured', async () => {
    await list({ domain });
    const without = await joinRuntime(runtime, { EMBEDDINGS_URL: '' });
    expect(await without.embeddings.refresh(new AbortController().signal)).toBeNull();
    await without.stop();
    expect(endpoint.calls).toEqual([]);
  });
});
