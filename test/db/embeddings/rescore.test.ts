import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findListing } from '../../../shared/market/inventory/find-listing.ts';
import { addListings } from '../../../shared/market/inventory/import-listings.ts';
import { searchListings } from '../../../shared/market/search/search-listings.ts';
import {
  type EmbeddingsStandIn,
  inBase64,
  startEmbeddingsStandIn,
} from '../../support/embeddings-stand-in.ts';
import { eventually } from '../../support/eventually.ts';
import type { Runtime } from '../../support/runtime.ts';
import { createTestRuntime, joinRuntime, type TestRuntime } from '../../support/runtime.ts';

const NAMES = ['teahouse.com', 'coffeehouse.com', 'winehouse.com'];
/** So long that nothing on this machine comes near it. */
const PATIENT_MS = 20_000;
const FAILURES_TO_OPEN = 5;

let endpoint: EmbeddingsStandIn;
let runtime: TestRuntime;
let ids: number[];
beforeEach(async () => {
  endpoint = await startEmbeddingsStandIn();
  runtime = await createTestRuntime({
    EMBEDDINGS_URL: endpoint.url,
    EMBEDDINGS_MODEL: 'small',
    embeddingsBudgetMs: PATIENT_MS,
  });
  const listings = NAMES.map((domain) => ({ domain, priceCents: 10_000 }));
  await addListings(runtime, { environment: 'SANDBOX', listings });
  const found = await Promise.all(
    NAMES.map((domain) => findListing(runtime, { environment: 'SANDBOX', domain })),
  );
  ids = found.flatMap((listing) => (listing ? [listing.id] : []));
  // "espresso" is coffee.
  endpoint.knows((text) => (/coffee|espresso/.test(text) ? [1, 0] : [0, 1]));
  await runtime.embeddings.refresh(new AbortController().signal);
  endpoint.calls.length = 0;
});
afterEach(async () => {
  await runtime.stop();
  await endpoint.close();
});

/** What search found: the later ones score a little less. */
const found = () =>
  ids.map((listingId, at) => ({ candidate: { listingId }, score: 0.8 - at / 100 }));
const rescored = async (query: string, through = runtime.embeddings) =>
  (await through.rescore(query, found())).map(({ candidate, score }) => [
    NAMES[ids.indexOf(candidate.listingId)],
    Number(score.toFixed(3)),
  ]);
const AS_FOUND = [
  ['teahouse.com', 0.8],
  ['coffeehouse.com', 0.79],
  ['winehouse.com', 0.78],
];

describe('embeddings in search', () => {
  it('change the order of what search finds', async () => {
    const names = ['coffeeharbor.com', 'coffeelantern.com', 'coffeemeadow.com'];
    const listings = names.map((domain) => ({ domain, priceCents: 10_000 }));
    await addListings(runtime, { environment: 'LIVE', listings });
    const searched = async (through: Runtime) => {
      const results = await searchListings(through, { environment: 'LIVE', query: 'coffee' });
      return results.map(({ domain }) => domain);
    };
    const without = await joinRuntime(runtime, { EMBEDDINGS_URL: '' });
    const before = await searched(without);
    await without.stop();
    expect([...before].sort()).toEqual(names);

    const last = before.at(-1) ?? '';
    endpoint.knows((text) => (text === 'coffee' || text === last ? [1, 0] : [0, 1]));
    await runtime.embeddings.refresh(new AbortController().signal);
    expect(await searched(runtime)).toEqual([last, ...before.slice(0, -1)]);
  });

  it('bring forward what is nearer in meaning', async () => {
    expect(await rescored('Espresso  bar')).toEqual([
      ['coffeehouse.com', 0.853],
      ['teahouse.com', 0.56],
      ['winehouse.com', 0.546],
    ]);
    expect(endpoint.calls.map(({ input }) => input)).toEqual([['espresso bar']]);
  });

  it('ask once for a query, however often and at once it is searched', async () => {
    await Promise.all([rescored('espresso'), rescored(' ESPRESSO')]);
    await rescored('espresso');
    expect(endpoint.calls).toHaveLength(1);
  });

  it('leave the very name where it is', async () => {
    const [tea = 0, coffee = 0] = ids;
    const exact = [
      { candidate: { listingId: tea }, score: 1 },
      { candidate: { listingId: coffee }, score: 0.9 },
    ];
    expect((await runtime.embeddings.rescore('espresso', exact))[0]).toEqual(exact[0]);
  });

  it('count a listing without a vector as an ordinary one', async () => {
    await runtime.db.knex('listing_embeddings').where({ listing_id: ids[2] }).delete();
    expect(await rescored('espresso')).toContainEqual(['winehouse.com', 0.696]);
  });

  it('leave the order as it is when the answer comes late, and use it the next time', async () => {
    const hasty = await joinRuntime(runtime, { embeddingsBudgetMs: 100 });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    endpoint.holds(held);
    expect(await rescored('espresso', hasty.embeddings)).toEqual(AS_FOUND);
    release();
    await eventually(
      () => rescored('espresso', hasty.embeddings),
      ([first]) => first?.[0] === 'coffeehouse.com',
    );
    expect(endpoint.calls).toHaveLength(1);
    await hasty.stop();
  });

  it.each([
    ['an error', { status: 500, body: {} }],
    ['nothing of the sort', { status: 200, body: 'hello' }],
    ['another dimension', { status: 200, body: { data: [{ embedding: inBase64([1, 2, 3]) }] } }],
    ['no numbers', { status: 200, body: { data: [{ embedding: ['x'] }] } }],
    ['too much', { status: 200, body: { data: 'x'.repeat(300_000) } }],
  ])('leave the order as it is when the endpoint answers with %s', async (_what, reply) => {
    endpoint.answers(() => reply);
    expect(await rescored('espresso')).toEqual(AS_FOUND);
  });

  it('leave an endpoint alone that only fails, and come back to it', async () => {
    endpoint.answers(() => ({ status: 500, body: {} }));
    for (let at = 0; at < FAILURES_TO_OPEN + 3; at += 1) await rescored(`query ${at}`);
    expect(endpoint.calls).toHaveLength(FAILURES_TO_OPEN);

    endpoint.knows((text) => (/coffee|espresso/.test(text) ? [1, 0] : [0, 1]));
    runtime.clock.advance(30_000);
    expect((await rescored('espresso'))[0]).toEqual(['coffeehouse.com', 0.853]);
  });

  it('are not asked when nothing was found, nor where they are not configured', async () => {
    expect(await runtime.embeddings.rescore('espresso', [])).toEqual([]);
    const without = await joinRuntime(runtime, { EMBEDDINGS_URL: '' });
    expect(await rescored('espresso', without.embeddings)).toEqual(AS_FOUND);
    await without.stop();
    expect(endpoint.calls).toEqual([]);
  });

  it('are done without when the vectors cannot be read', async () => {
    await runtime.db.knex.raw('alter table listing_embeddings rename to elsewhere');
    expect(await rescored('espresso')).toEqual(AS_FOUND);
  });
});
