import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { delistListing, markSold } from '../../../shared/market/inventory/change-listings.ts';
import type { Listing } from '../../../shared/market/inventory/listing.ts';
import { MINUTE } from '../../../shared/platform/clock.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { countStatements, givenHold, givenSearchableListing } from '../../support/inventory.ts';

let app: TestApp;
let partner: Awaited<ReturnType<TestApp['partner']>>;
let other: Awaited<ReturnType<TestApp['partner']>>;
let live: Awaited<ReturnType<TestApp['partner']>>;

beforeAll(async () => {
  app = await startTestApp();
  partner = await app.partner();
  other = await app.partner();
  live = await app.partner({ environment: 'LIVE' });
});
afterAll(() => app.stop());

const listed = (domain: string, more: object = {}) =>
  givenSearchableListing(app.runtime, { domain, ...more });
const sell = (listing: Listing) =>
  app.runtime.db.transact((uow) => markSold(uow, { id: listing.id, environment: 'SANDBOX' }));
const hold = (partnerId: string, listing: Listing) =>
  givenHold(
    app.runtime,
    partnerId,
    listing,
    new Date(app.runtime.clock.now().getTime() + 10 * MINUTE),
  );

describe('GET /v1/domains/{name}', () => {
  it('returns every field of a listed domain', async () => {
    await listed('neonwallet.com', {
      floorPriceCents: 420_000,
      offersAccepted: true,
      category: 'Finance',
      description: 'A short name for a wallet.',
      keywords: ['crypto', 'wallet'],
    });
    const { body } = await partner.client.get('/v1/domains/neonwallet.com').expect(200);
    expect(body).toEqual({
      domain: 'neonwallet.com',
      domain_unicode: 'neonwallet.com',
      sld: 'neonwallet',
      tld: 'com',
      available: true,
      status: 'listed',
      price_cents: 485_000,
      floor_price_cents: 420_000,
      currency: 'USD',
      offers_accepted: true,
      category: 'Finance',
      description: 'A short name for a wallet.',
      keywords: ['crypto', 'wallet'],
      length: 10,
      listed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      registrar: null,
      registry_statuses: [],
      transferable: true,
      locked_until: null,
      premium: null,
    });
  });

  it('returns the annual renewal fee of a premium domain', async () => {
    await listed('premium-neonwallet.com');
    const { body } = await partner.client.get('/v1/domains/premium-neonwallet.com').expect(200);
    const premium = { class: 'premium', renewal_fee_cents: 50_000, currency: 'USD' };
    expect(body.premium).toEqual(premium);
  });

  it('finds a domain in any spelling, and counts its Unicode characters', async () => {
    await listed('grünbrücke.de');
    for (const spelling of ['GRÜNBRÜCKE.DE', 'xn--grnbrcke-75ad.de', ' grünbrücke.de. ']) {
      const { body } = await partner.client
        .get(`/v1/domains/${encodeURIComponent(spelling)}`)
        .expect(200);
      expect(body).toMatchObject({
        domain: expect.stringMatching(/^xn--/),
        domain_unicode: 'grünbrücke.de',
        length: 10,
      });
    }
  });

  it('shows a held domain as available to its holder only', async () => {
    const listing = await listed('heldname.com');
    await hold(other.partnerId, listing);
    const mine = await partner.client.get('/v1/domains/heldname.com').expect(200);
    expect(mine.body).toMatchObject({ status: 'held', available: false });
    const theirs = await other.client.get('/v1/domains/heldname.com').expect(200);
    expect(theirs.body).toMatchObject({ status: 'held', available: true });
  });

  it('returns sold and delisted domains', async () => {
    await sell(await listed('soldname.com'));
    await listed('delistedname.com');
    await delistListing(app.runtime, { environment: 'SANDBOX', domain: 'delistedname.com' });
    for (const status of ['sold', 'delisted']) {
      const { body } = await partner.client.get(`/v1/domains/${status}name.com`).expect(200);
      expect(body).toMatchObject({ status, available: false });
    }
  });

  it('returns 404 for a domain that was never listed in this environment', async () => {
    await listed('onlysandbox.com');
    const answer = await live.client.get('/v1/domains/onlysandbox.com').expect(404);
    expect(answer.body.error.code).toBe('not_found');
    await partner.client.get('/v1/domains/neverlisted.com').expect(404);
  });

  it.each(['www.neonwallet.com', 'neonwallet', '1.2.3.4', 'a b.com', '*.com', 'a%00b.com'])(
    'rejects %j as a domain',
    async (name) => {
      const path = name.includes('%') ? name : encodeURIComponent(name);
      const { body } = await partner.client.get(`/v1/domains/${path}`).expect(400);
      expect(body.error).toMatchObject({
        code: 'validation_error',
        details: [{ path: '/name', message: expect.any(String) }],
      });
    },
  );
});

describe('GET /v1/availability', () => {
  const ask = (client: typeof partner.client, domain: string) =>
    client.get('/v1/availability', { query: { domain } }).expect(200);

  it('returns the price of a listed domain', async () => {
    await listed('freename.com');
    expect((await ask(partner.client, 'FreeName.com.')).body).toEqual({
      domain: 'freename.com',
      available: true,
      price_cents: 485_000,
      currency: 'USD',
    });
  });

  it('returns unavailable, without a price, for a domain that cannot be bought', async () => {
    await sell(await listed('soldalready.com'));
    await listed('takendown.com');
    await delistListing(app.runtime, { environment: 'SANDBOX', domain: 'takendown.com' });
    await listed('sandboxonly.com');
    await hold(other.partnerId, await listed('heldbyother.com'));
    for (const [client, domain] of [
      [partner.client, 'unlisted.com'],
      [partner.client, 'soldalready.com'],
      [partner.client, 'takendown.com'],
      [partner.client, 'heldbyother.com'],
      [live.client, 'sandboxonly.com'],
    ] as const) {
      expect((await ask(client, domain)).body).toEqual({
        domain,
        available: false,
        price_cents: null,
        currency: null,
      });
    }
  });

  it('returns available to the partner whose quote holds it, and to all once the quote expires', async () => {
    const listing = await listed('briefhold.com');
    await givenHold(app.runtime, other.partnerId, listing, new Date(app.runtime.clock.now()));
    expect((await ask(partner.client, 'briefhold.com')).body.available).toBe(true);
    const held = await listed('myhold.com');
    await hold(partner.partnerId, held);
    expect((await ask(partner.client, 'myhold.com')).body).toMatchObject({
      available: true,
      price_cents: 485_000,
    });
  });

  it('requires a domain', async () => {
    const none = await partner.client.get('/v1/availability').expect(400);
    expect(none.body.error.details).toEqual([{ path: '/domain', message: 'is required' }]);
    const empty = await partner.client
      .get('/v1/availability', { query: { domain: '' } })
      .expect(400);
    expect(empty.body.error.code).toBe('validation_error');
  });
});

describe('GET /v1/pricing', () => {
  const ask = (client: typeof partner.client, domain: string, expected: number) =>
    client.get('/v1/pricing', { query: { domain } }).expect(expected);

  it('returns the buy-now price and the floor price', async () => {
    await listed('pricedname.com', { floorPriceCents: 400_000 });
    expect((await ask(partner.client, 'pricedname.com', 200)).body).toEqual({
      domain: 'pricedname.com',
      price_cents: 485_000,
      floor_price_cents: 400_000,
      currency: 'USD',
    });
    await listed('nofloor.com', { currency: 'EUR' });
    expect((await ask(partner.client, 'nofloor.com', 200)).body).toMatchObject({
      floor_price_cents: null,
      currency: 'EUR',
    });
  });

  it('returns 404 unless the domain is listed in this environment', async () => {
    await sell(await listed('pricedsold.com'));
    await listed('pricedsandbox.com');
    for (const [client, domain] of [
      [partner.client, 'pricedunlisted.com'],
      [partner.client, 'pricedsold.com'],
      [live.client, 'pricedsandbox.com'],
    ] as const) {
      expect((await ask(client, domain, 404)).body.error.code).toBe('not_found');
    }
  });
});

describe('cost of discovery calls', () => {
  it.each([
    ['/v1/domains/neonwallet.com', 1],
    ['/v1/availability?domain=neonwallet.com', 1],
    ['/v1/pricing?domain=neonwallet.com', 1],
    // One statement searches; the other reads names that are not cached or have no vector yet.
    ['/v1/domains/search?q=neon%20wallet', 2],
  ])('%s takes at most %i SQL statements', async (target, most) => {
    const [path = '', search = ''] = target.split('?');
    const query = Object.fromEntries(new URLSearchParams(search));
    // The first call may load the credential.
    await partner.client.get(path, { query }).expect(200);
    const statements = await countStatements(app.runtime, () =>
      partner.client.get(path, { query }).expect(200),
    );
    expect(statements).toBeGreaterThan(0);
    expect(statements).toBeLessThanOrEqual(most);
  });
});

describe('discovery calls', () => {
  it('require the search scope', async () => {
    const { client } = await app.partner({ scopes: ['buy'] });
    for (const path of [
      '/v1/domains/x.com',
      '/v1/availability',
      '/v1/pricing',
      '/v1/domains/search',
    ])
      expect((await client.get(path).expect(403)).body.error.code).toBe('forbidden');
  });
});
