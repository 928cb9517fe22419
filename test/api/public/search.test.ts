import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { bodyValidator } from '../../../api/http/validate.ts';
import { DomainSearchView } from '../../../api/public/domain-search-routes.ts';
import { seedTlds } from '../../../db/seeds/tlds.ts';
import {
  addListing,
  delistListing,
  markSold,
} from '../../../shared/market/inventory/change-listings.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { countStatements } from '../../support/inventory.ts';
import { linesOf } from '../../support/json-lines.ts';
import { accessTokenFor, givenOwner } from '../../support/oauth.ts';
import { checkedFetch } from '../../support/public-client.ts';
import { type Registries, standInRegistries } from '../../support/registries.ts';

let app: TestApp;
let registry: Registries;
beforeAll(async () => {
  app = await startTestApp({ DOMAIN_SEARCH_TLDS: 'com,net,io,ai,co.uk' });
  await seedTlds(app.runtime);
  registry = standInRegistries(app);
});
afterEach(() => registry.clear());
afterAll(() => app.stop());

// biome-ignore lint/suspicious/noExplicitAny: tests read answers field by field
type Json = any;

const PATH = '/domain/search';

function post(body: unknown, accept = 'application/json', token?: string) {
  return checkedFetch(`${app.url}/api${PATH}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: accept,
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
}

async function search(body: unknown, token?: string): Promise<Json> {
  const answer = await post(body, 'application/json', token);
  const read = await answer.json();
  expect([answer.status, read]).toEqual([200, expect.anything()]);
  bodyValidator(DomainSearchView)(read);
  return read;
}

const domainsOf = ({ results }: Json) => results.map(({ domain }: Json) => domain);

const list = (domain: string, more: Partial<Parameters<typeof addListing>[1]> = {}) =>
  addListing(app.runtime, { environment: 'LIVE', domain, priceCents: 485_000, ...more });

describe('POST /api/domain/search', () => {
  it('returns the requested domain first, then its siblings, with registration prices', async () => {
    registry.says.set('brightkettle.net', 'registered').set('brightkettle.io', 'unknown');
    const body = await search({ q: 'brightkettle.net' });
    expect(body).toMatchObject({
      query: 'brightkettle.net',
      label: 'brightkettle',
      signed_in: false,
    });
    expect(body.results).toEqual([
      {
        domain: 'brightkettle.net',
        tld: 'net',
        status: 'registered',
        available: false,
        registration_price_cents: null,
        registration_years: null,
        currency: 'USD',
        listing: null,
      },
      expect.objectContaining({
        domain: 'brightkettle.com',
        status: 'available',
        available: true,
        registration_price_cents: 1_108,
        registration_years: 1,
      }),
      expect.objectContaining({
        domain: 'brightkettle.io',
        status: 'unknown',
        available: null,
        registration_price_cents: 5_180,
      }),
      expect.objectContaining({
        domain: 'brightkettle.ai',
        registration_price_cents: 16_540,
        registration_years: 2,
      }),
      expect.objectContaining({ domain: 'brightkettle.co.uk', tld: 'co.uk' }),
    ]);
  });

  it('returns the same price as the price list', async () => {
    const [first] = (await search({ q: 'samesource.dev' })).results;
    const price = await checkedFetch(`${app.url}/api/pricing/tld?tld=dev`).then((answer) =>
      answer.json(),
    );
    expect(first.registration_price_cents).toBe((price as Json).price_cents);
  });

  it.each([
    ['neonkettle', 'neonkettle.com'],
    ['  NeonKettle  ', 'neonkettle.com'],
    ['neon kettle', 'neonkettle.com'],
    ['neon-kettle', 'neon-kettle.com'],
    ['neonkettle.', 'neonkettle.com'],
    ['neonkettle.dev', 'neonkettle.dev'],
    ['NEONKETTLE.COM.', 'neonkettle.com'],
    ['neon kettle.com', 'neonkettle.com'],
    ['www.neonkettle.com', 'neonkettle.com'],
    ['shop.neonkettle.co.uk', 'neonkettle.co.uk'],
    ['https://www.neonkettle.com:443/cups?size=2#top', 'neonkettle.com'],
    ['Bücher', 'xn--bcher-kva.com'],
    ['bücher.de', 'xn--bcher-kva.de'],
    ['xn--bcher-kva', 'xn--bcher-kva.com'],
    ['ｎｅｏｎkettle。com', 'neonkettle.com'],
    ['пример.рф', 'xn--e1afmkfd.xn--p1ai'],
    ['com', 'com.com'],
    ['42', '42.com'],
  ])('reads %j as %s', async (q, domain) => {
    const body = await search({ q });
    expect(body.results[0].domain).toBe(domain);
    expect(body.label).toBe(domain.split('.')[0]);
    expect(body.query).toBe(q.trim());
  });

  it('uses the requested TLDs instead of the defaults, in any spelling, each once', async () => {
    const body = await search({ q: 'neonkettle', tlds: ['.DEV', 'рф', 'dev', 'co.uk'] });
    expect(domainsOf(body)).toEqual(['neonkettle.dev', 'neonkettle.xn--p1ai', 'neonkettle.co.uk']);
    const ofDomain = await search({ q: 'neonkettle.com', tlds: ['dev', 'com'] });
    expect(domainsOf(ofDomain)).toEqual(['neonkettle.com', 'neonkettle.dev']);
  });

  it('omits siblings that cannot be registered', async () => {
    // .ai does not accept internationalized names, and co.uk is a suffix, not a name.
    expect(domainsOf(await search({ q: 'bücher' }))).not.toContain('xn--bcher-kva.ai');
    expect(domainsOf(await search({ q: 'co.com', tlds: ['uk', 'net'] }))).toEqual([
      'co.com',
      'co.net',
    ]);
  });

  it('is also available under /api/v1', async () => {
    const answer = await checkedFetch(`${app.url}/api/v1${PATH}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ q: 'brightkettle' }),
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('RateLimit-Policy')).toBe('30;w=60');
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
  });
});

describe('domain search for listed domains', () => {
  it('returns them as for sale with masked prices, without asking the registry', async () => {
    await list('amberfern.com', { offersAccepted: true });
    await list('amberfern.io', { priceCents: 1_250_000, currency: 'EUR' });
    const body = await search({ q: 'amberfern' });
    expect(body.results.slice(0, 3)).toEqual([
      {
        domain: 'amberfern.com',
        tld: 'com',
        status: 'for_sale',
        available: false,
        registration_price_cents: null,
        registration_years: null,
        currency: 'USD',
        listing: {
          price_cents: null,
          price_masked: true,
          price_display: '$4,8**',
          offers_accepted: true,
        },
      },
      expect.objectContaining({ domain: 'amberfern.net', status: 'available', listing: null }),
      expect.objectContaining({
        domain: 'amberfern.io',
        currency: 'EUR',
        listing: expect.objectContaining({ price_display: '€12,***' }),
      }),
    ]);
    expect(JSON.stringify(body)).not.toMatch(/485000|4850|1250000|12500/);
    expect(registry.asked).not.toContain('amberfern.com');
  });

  it('ignores listings that are sold, delisted, or in the sandbox', async () => {
    const { id } = await list('soldfern.com');
    await app.runtime.db.transact((uow) => markSold(uow, { id, environment: 'SANDBOX' }));
    await list('soldfern.net');
    await delistListing(app.runtime, { environment: 'LIVE', domain: 'soldfern.net' });
    await list('soldfern.io', { environment: 'SANDBOX' });
    registry.says.set('soldfern.com', 'registered');
    const results = (await search({ q: 'soldfern' })).results.slice(0, 5);
    expect(results.map(({ status, listing }: Json) => [status, listing])).toEqual([
      ['registered', null],
      ['available', null],
      ['available', null],
      ['available', null],
      ['available', null],
    ]);
  });

  it('adds listings that match the words after the siblings, each domain once', async () => {
    await list('copperlantern.com', { keywords: ['copper', 'lantern'] });
    await list('lanterncopper.org', { keywords: ['copper', 'lantern'] });
    await list('copperlantern.shop', { keywords: ['copper', 'lantern'] });
    const body = await search({ q: 'copper lantern' });
    const domains = domainsOf(body);
    expect(domains.slice(0, 5)).toEqual([
      'copperlantern.com',
      'copperlantern.net',
      'copperlantern.io',
      'copperlantern.ai',
      'copperlantern.co.uk',
    ]);
    expect(domains.slice(5)).toEqual(expect.arrayContaining(['copperlantern.shop']));
    expect(new Set(domains).size).toBe(domains.length);
    for (const row of body.results.slice(5)) {
      expect(row).toMatchObject({ status: 'for_sale', listing: { price_masked: true } });
    }
    const narrowed = await search({ q: 'copper lantern', tlds: ['org', 'dev'] });
    for (const domain of domainsOf(narrowed)) expect(domain).toMatch(/\.(org|dev)$/);
  });
});

describe('domain search with sign-in', () => {
  const rowOf = (body: Json, domain: string) =>
    body.results.find((row: Json) => row.domain === domain);

  it('returns full market prices, in streams as well', async () => {
    await list('silverinlet.com');
    await list('silverinlet.org', { priceCents: 485_050 });
    const { id: userId } = await givenOwner(app.runtime);
    const token = await accessTokenFor(app.runtime, { userId });
    const body = await search({ q: 'silver inlet', tlds: ['com', 'org'] }, token);
    expect(body.signed_in).toBe(true);
    expect(rowOf(body, 'silverinlet.com').listing).toEqual({
      price_cents: 485_000,
      price_masked: false,
      price_display: '$4,850',
      offers_accepted: false,
    });
    expect(rowOf(body, 'silverinlet.org').listing.price_display).toBe('$4,850.50');
    const lines = linesOf(await post({ q: 'silverinlet.com' }, 'application/x-ndjson', token));
    expect(await lines.next()).toMatchObject({
      domain: 'silverinlet.com',
      signed_in: true,
      listing: { price_cents: 485_000 },
    });
    for (let line = await lines.next(); line; line = await lines.next());
  });

  it('returns masked prices without the pricing:read scope', async () => {
    await list('goldeninlet.com');
    const { id: userId } = await givenOwner(app.runtime);
    const token = await accessTokenFor(app.runtime, { userId, scopes: ['domains:manage'] });
    const body = await search({ q: 'goldeninlet.com' }, token);
    expect(body.signed_in).toBe(true);
    expect(rowOf(body, 'goldeninlet.com').listing).toMatchObject({
      price_cents: null,
      price_masked: true,
    });
  });
});

describe('cost of domain search', () => {
  it('is two SQL statements for any number of names, once prices are cached', async () => {
    await search({ q: 'warmfern' });
    const tlds = ['com', 'net', 'io', 'ai', 'dev', 'app', 'xyz', 'shop', 'org', 'co.uk', 'de'];
    const cost = (body: object) => countStatements(app.runtime, () => search(body));
    expect(await cost({ q: 'costfern' })).toBe(2);
    expect(await cost({ q: 'costfern', tlds })).toBe(2);
  });
});
