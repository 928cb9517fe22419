import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { seedTlds } from '../../../db/seeds/tlds.ts';
import { importListings } from '../../../shared/market/inventory/import-listings.ts';
import { importTlds } from '../../../shared/market/tlds/import-tlds.ts';
import { findTld } from '../../../shared/market/tlds/tld-catalogue.ts';
import { purchasePath } from '../../../shared/sales/orders/purchase-link.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { buyerWith, CARDS, fetchPage, ordersOf, sendForm } from '../../support/checkout.ts';
import { takeDomain } from '../../support/claims.ts';
import { type DemoRegistry, startDemoRegistry } from '../../support/demo-registry.ts';
import { eventually } from '../../support/eventually.ts';
import { registered, registrySettings } from '../../support/live-registry.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';
import { PROMPT } from '../../support/quick-fleet.ts';
import { REGISTRANT } from '../../support/registrants.ts';
import type { SignedClient } from '../../support/signed-client.ts';

let registry: DemoRegistry;
let app: TestApp;
let ops: OpsClient;
let client: SignedClient;
let fleet: WorkerProcess | undefined;

beforeAll(async () => {
  registry = await startDemoRegistry();
  app = await startTestApp({
    ...PROMPT,
    ...registrySettings(registry),
    TRANSFER_POLICY_LIVE: 'automatic',
    transferPollMaxMs: 100,
  });
  await seedTlds(app.runtime);
  ops = await givenOps(app);
  ({ client } = await app.partner({ environment: 'LIVE' }));
});
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});
afterAll(async () => {
  await app.stop();
  await registry.close();
});

const list = (domain: string, environment = 'LIVE') =>
  ops.post('/listings', { environment, domain, price_cents: 485_000 });
const search = async (q: string) => {
  const { body } = await client.get('/v1/domains/search', { query: { q } }).expect(200);
  return body.results.map(({ domain }: { domain: string }) => domain) as string[];
};

describe('an emoji domain', () => {
  it('is listed, found, quoted, sold and delivered, stored by its A-labels throughout', async () => {
    const domain = registered(registry, 'gaining', 'xn--53h.ws');
    const listed = await list('☕\ufe0f.ws').expect(201);
    expect(listed.body).toMatchObject({ domain, domain_unicode: '☕.ws', status: 'listed' });

    for (const q of ['☕.ws', '☕\ufe0f.ws', 'https://☕.ws/menu', 'xn--53h.ws', '☕', 'coffee']) {
      expect([q, await search(q)]).toEqual([q, [domain]]);
    }
    expect(await search('rocket')).toEqual([]);
    const market = await app.public.get('/market/listings', { query: { q: '☕\ufe0f.ws' } });
    expect(market.body.items).toMatchObject([{ domain }]);

    for (const spelled of ['☕.ws', domain]) {
      const detail = await client.get(`/v1/domains/${encodeURIComponent(spelled)}`).expect(200);
      expect(detail.body).toMatchObject({ domain, domain_unicode: '☕.ws' });
      const query = { domain: spelled };
      expect((await client.get('/v1/availability', { query })).body).toMatchObject({
        domain,
        available: true,
      });
      expect((await client.get('/v1/pricing', { query })).body.price_cents).toBe(485_000);
    }

    fleet = startWorkers(app.runtime, { queues: ['transfers', 'transfer-polls'] });
    const quote = await client.post('/v1/quotes', { body: { domain: '☕.ws' } }).expect(201);
    expect(quote.body.domain).toBe(domain);
    const order = await client
      .post('/v1/orders', {
        body: {
          domain: '☕.ws',
          quote_id: quote.body.quote_id,
          expected_price: 485_000,
          buyer: { email: 'buyer@example.com', name: 'A. Buyer', country: 'DE' },
          registrant: REGISTRANT,
        },
        idempotencyKey: 'coffee',
      })
      .expect(201);
    await takeDomain(app.runtime, order.body.public_id);
    await eventually(
      async () => (await client.get(`/v1/orders/${order.body.public_id}`)).body,
      ({ status }) => status === 'TRANSFER_COMPLETED',
      { everyMs: 50 },
    );
    const orders = await client.get('/v1/orders', { query: { domain: '☕.ws' } }).expect(200);
    expect(orders.body.orders).toMatchObject([{ domain, status: 'TRANSFER_COMPLETED' }]);
    const { registrant } = registry.state.domains[domain] ?? {};
    expect(registry.state.contacts[registrant ?? '']).toMatchObject({ email: 'buyer@example.com' });
    expect(registry.heard.join()).toContain('<domain:name>xn--53h.ws</domain:name>');
    expect(registry.heard.join()).not.toContain('☕');
  });

  it('is found by its emoji and letters together', async () => {
    await list('🚀Shop.to').expect(201);
    for (const q of ['🚀shop.to', 'rocket shop', '🚀']) {
      expect([q, await search(q)]).toEqual([q, ['xn--shop-4s83c.to']]);
    }
  });

  it('can be repriced and delisted', async () => {
    await list('👁👄👁.fm').expect(201);
    const path = `/listings/LIVE/${encodeURIComponent('👁👄👁.fm')}`;
    const priced = await ops.post(`${path}/price`, { price_cents: 500 }).expect(200);
    expect(priced.body).toMatchObject({ domain: 'xn--mp8hai.fm', price_cents: 500 });
    const gone = await ops.post(`${path}/delist`).expect(200);
    expect(gone.body).toMatchObject({ domain: 'xn--mp8hai.fm', status: 'delisted' });
  });

  it('is imported where its TLD allows emoji and rejected with its line number elsewhere', async () => {
    const rejected: { line: number; reason: string }[] = [];
    const counts = await importListings(app.runtime, {
      environment: 'SANDBOX',
      source: Readable.from([Buffer.from('domain,price_cents\n🍕.ws,1000\n🍕.com,1000\n')]),
      format: 'csv',
      onRejected: (row) => rejected.push(row),
    });
    expect(counts).toMatchObject({ inserted: 1, rejected: 1 });
    expect(rejected).toMatchObject([
      {
        line: 3,
        reason: expect.stringMatching(/emoji are possible only under \.fm, \.to, and \.ws/),
      },
    ]);
  });

  it('is shown in Unicode on the checkout page', async () => {
    const { client: sandbox } = await app.partner();
    const made = await sandbox.post('/v1/checkout-session', { body: { domain: '🍕.ws' } });
    expect(made.body).toMatchObject({ domain: 'xn--vi8h.ws' });
    const { pathname, search } = new URL(made.body.checkout_url);
    const url = app.url + pathname + search;
    expect((await fetchPage(url)).text).toContain('🍕.ws');
    await sendForm(url, 'pay', buyerWith(CARDS.good));
    const paid = await fetchPage(url);
    const [, invoice = ''] = /href="([^"]+invoice[^"]+)"/.exec(paid.text) ?? [];
    expect((await fetchPage(app.url + invoice)).status).toBe(200);
    expect(await ordersOf(app, made.body.id)).toMatchObject([{ status: 'PAID' }]);
  });

  it.each(['☕.com', '☕.de', '☕.shop'])('cannot be listed as %s', async (domain) => {
    const { body } = await list(domain).expect(400);
    expect(JSON.stringify(body)).toContain('only under .fm, .to, and .ws');
  });

  it('appears in domain search where a registry supports it, for sale only', async () => {
    await list('🍩.ws').expect(201);
    for (const q of ['🍩', '🍩\ufe0f', '🍩.ws', 'https://www.🍩.ws/', 'xn--gj8h.ws']) {
      const { body } = await app.public.post('/domain/search', { body: { q } }).expect(200);
      const found = new Map(
        body.results.map((row: { domain: string }) => [row.domain, row]) as [string, object][],
      );
      expect(found.get('xn--gj8h.ws')).toMatchObject({
        status: 'for_sale',
        registration_price_cents: null,
        listing: { offers_accepted: expect.any(Boolean) },
      });
      expect(found.get('xn--gj8h.to')).toMatchObject({ registration_price_cents: null });
      expect([...found.keys()].filter((domain) => /\.(com|io)$/.test(domain))).toEqual([]);
    }
    const { body } = await app.public.post('/domain/search', { body: { q: '🍩.com' } }).expect(400);
    expect(JSON.stringify(body)).toContain('only under .fm, .to, and .ws');
  });

  it('is shown in Unicode on the order and registrant pages of its buyer', async () => {
    await list('🎈.to').expect(201);
    const order = await client
      .post('/v1/orders', {
        body: {
          domain: '🎈.to',
          expected_price: 485_000,
          buyer: { email: 'buyer@example.com', name: 'A. Buyer', country: 'DE' },
        },
        idempotencyKey: 'balloon',
      })
      .expect(201);
    const orderId = order.body.public_id as string;
    const path = await purchasePath(app.runtime.tokens, { orderId, isMailed: true });
    const purchase = await fetchPage(app.url + path);
    expect(purchase.text).toContain('<h1>🎈.to</h1>');
    const [, form = ''] = /href="(\/registrant\/[^"]+)"/.exec(purchase.text) ?? [];
    expect((await fetchPage(app.url + form)).text).toContain('Where should we register 🎈.to?');
  });
});

describe('a TLD with emoji domains', () => {
  it('says so in its metadata', async () => {
    const { body } = await app.public.get('/tlds/ws/metadata').expect(200);
    expect(body.idn).toEqual({ supported: true, scripts: [], emoji: true });
    expect((await app.public.get('/tlds/com/metadata')).body.idn).not.toHaveProperty('emoji');
  });

  it('cannot be a TLD that ICANN requires to follow IDNA 2008', async () => {
    const { rules, ...com } = await findTld(app.runtime, 'com', '/tld');
    const row = {
      tld: 'com',
      ...rules,
      idn: { ...rules.idn, emoji: true },
      term: { min_years: com.minYears, max_years: com.maxYears },
      price_cents: com.priceCents,
      sources: com.sources,
    };
    const reasons: string[] = [];
    await importTlds(app.runtime, {
      source: Readable.from([JSON.stringify(row)]),
      onRejected: ({ reason }) => reasons.push(reason),
    });
    expect(reasons).toEqual([expect.stringMatching(/^\/idn\/emoji must not be true/)]);
  });
});
