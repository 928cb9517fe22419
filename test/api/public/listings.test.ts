import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addListing } from '../../../shared/market/inventory/change-listings.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { accessTokenFor, givenOwner } from '../../support/oauth.ts';
import { checkedFetch } from '../../support/public-client.ts';

const PATH = '/market/listings';

let app: TestApp;
/** Access tokens: one with access to prices, and one without. */
let pricing: string;
let managing: string;
beforeAll(async () => {
  app = await startTestApp({ BASE_URL: 'https://market.example' });
  app.runtime.clock.set('2026-11-20T09:30:00.000Z');
  await list('oldest.com', { category: 'Food', priceCents: 485_000 });
  await list('ladder.net', { category: 'Food', priceCents: 9_900, offersAccepted: true });
  await list('anvil.com', { category: 'Tools', currency: 'EUR', priceCents: 1_250_000 });
  await list('xn--bcher-kva.de');
  await list('newest.com', { category: 'food' });
  const { id: userId } = await givenOwner(app.runtime);
  pricing = await accessTokenFor(app.runtime, { userId });
  managing = await accessTokenFor(app.runtime, { userId, scopes: ['domains:manage'] });
});
afterAll(() => app.stop());

async function list(domain: string, more: Partial<Parameters<typeof addListing>[1]> = {}) {
  await addListing(app.runtime, { environment: 'LIVE', domain, priceCents: 485_000, ...more });
  app.runtime.clock.advance(1_000);
}

interface Page {
  items: { domain: string }[];
  page: { limit: number; has_more: boolean; next_cursor: string | null; total?: number };
}

type Query = Record<string, string | number>;

function ask(query: Query, { base = '/api', token }: { base?: string; token?: string } = {}) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return checkedFetch(`${app.url}${base}${PATH}?${search}`, { headers });
}

async function read(query: Query = {}, token?: string): Promise<Page> {
  const answer = await ask(query, token === undefined ? {} : { token });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Page;
}

const domainsOf = ({ items }: Page) => items.map(({ domain }) => domain);

async function refusal(query: Query, token?: string) {
  const answer = await ask(query, token === undefined ? {} : { token });
  const { error } = (await answer.json()) as { error: { code: string; details?: unknown } };
  return { answer, status: answer.status, code: error.code, details: error.details };
}

describe('GET /api/market/listings', () => {
  it('lists domains for sale, newest first, with masked prices', async () => {
    const page = await read({ limit: 3 });
    expect(page).toEqual({
      items: [
        expect.objectContaining({ domain: 'newest.com' }),
        expect.objectContaining({ domain: 'xn--bcher-kva.de', tld: 'de' }),
        {
          domain: 'anvil.com',
          tld: 'com',
          price_cents: null,
          price_masked: true,
          price_display: '€12,***',
          currency: 'EUR',
          offers_accepted: false,
          listed_at: '2026-11-20T09:30:02.000Z',
        },
      ],
      page: {
        limit: 3,
        has_more: true,
        next_cursor: expect.any(String),
        offset: 0,
        total: 5,
      },
    });
    expect(JSON.stringify(page)).not.toMatch(/1250000|12500|485000|4850|4,85/);
  });

  it('is also available under /api/v1, to all origins, with rate limit headers', async () => {
    const answer = await ask({ limit: 5 }, { base: '/api/v1' });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual(await read({ limit: 5 }));
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(answer.headers.get('RateLimit-Policy')).toBe('120;w=60');
  });

  it.each([
    [{ tld: 'com' }, ['newest.com', 'anvil.com', 'oldest.com']],
    [{ tld: '.COM' }, ['newest.com', 'anvil.com', 'oldest.com']],
    [{ tld: 'museum' }, []],
    [{ category: 'FOOD' }, ['newest.com', 'ladder.net', 'oldest.com']],
    [{ category: 'food', tld: 'com' }, ['newest.com', 'oldest.com']],
    [{ sort: 'domain', tld: 'com' }, ['anvil.com', 'newest.com', 'oldest.com']],
    [{ sort: 'domain', category: 'food' }, ['ladder.net', 'newest.com', 'oldest.com']],
  ])('filters and sorts by %j, and counts the matches', async (query, domains) => {
    const page = await read(query);
    expect(domainsOf(page)).toEqual(domains);
    expect(page.page).toMatchObject({ total: domains.length, has_more: false, next_cursor: null });
  });
});

describe('paging through the listings', () => {
  const WHOLE = ['newest.com', 'xn--bcher-kva.de', 'anvil.com', 'ladder.net', 'oldest.com'];

  it('ends with a null cursor and has no totals when cursors are used', async () => {
    const seen: string[] = [];
    let page = await read({ limit: 2 });
    seen.push(...domainsOf(page));
    while (page.page.next_cursor !== null) {
      page = await read({ limit: 2, cursor: page.page.next_cursor });
      expect(page.page).not.toHaveProperty('total');
      expect(page.page).not.toHaveProperty('offset');
      expect(page.page.has_more).toBe(page.page.next_cursor !== null);
      seen.push(...domainsOf(page));
    }
    expect(seen).toEqual(WHOLE);
  });

  it('can start by offset and continue by cursor, with another page size', async () => {
    const first = await read({ limit: 2, offset: 1 });
    expect(domainsOf(first)).toEqual(WHOLE.slice(1, 3));
    expect(first.page).toMatchObject({ offset: 1, total: 5 });
    const rest = await read({ limit: 100, cursor: first.page.next_cursor ?? '' });
    expect(domainsOf(rest)).toEqual(WHOLE.slice(3));
    expect(rest.page).toEqual({ limit: 100, has_more: false, next_cursor: null });
  });

  it('returns an empty page and the total at an offset beyond the end', async () => {
    const { items, page } = await read({ offset: 10_000 });
    expect(items).toEqual([]);
    expect(page).toEqual({
      limit: 25,
      has_more: false,
      next_cursor: null,
      offset: 10_000,
      total: 5,
    });
  });

  it('treats another spelling of a suffix as the same filter', async () => {
    const { page } = await read({ tld: 'com', limit: 1 });
    const next = await read({ tld: '.COM', limit: 1, cursor: page.next_cursor ?? '' });
    expect(domainsOf(next)).toEqual(['anvil.com']);
  });
});

describe('a caller who can see prices', () => {
  it('gets full prices', async () => {
    const { items } = await read({ limit: 3 }, pricing);
    expect(items[2]).toEqual({
      domain: 'anvil.com',
      tld: 'com',
      price_cents: 1_250_000,
      price_masked: false,
      price_display: '€12,500',
      currency: 'EUR',
      offers_accepted: false,
      listed_at: '2026-11-20T09:30:02.000Z',
    });
  });

  it.each([
    [{ sort: 'price_asc', tld: 'net' }, ['ladder.net']],
    [
      { sort: 'price_asc' },
      ['ladder.net', 'oldest.com', 'xn--bcher-kva.de', 'newest.com', 'anvil.com'],
    ],
    [
      { sort: 'price_desc' },
      ['anvil.com', 'newest.com', 'xn--bcher-kva.de', 'oldest.com', 'ladder.net'],
    ],
    [{ sort: 'price_desc', category: 'food' }, ['newest.com', 'oldest.com', 'ladder.net']],
    [{ max_price_cents: 9_900 }, ['ladder.net']],
    [{ min_price_cents: 485_001 }, ['anvil.com']],
    [
      { min_price_cents: 485_000, max_price_cents: 485_000, sort: 'domain' },
      ['newest.com', 'oldest.com', 'xn--bcher-kva.de'],
    ],
    [{ min_price_cents: 10_000, max_price_cents: 20_000 }, []],
  ])('can sort and filter by %j and gets the total', async (query, domains) => {
    const page = await read(query, pricing);
    expect(domainsOf(page)).toEqual(domains);
    expect(page.page.total).toBe(domains.length);
    const walked: string[] = [];
    let next: Page | undefined = await read({ ...query, limit: 1, offset: 0 }, pricing);
    while (next) {
      walked.push(...domainsOf(next));
      const cursor: string | null = next.page.next_cursor;
      next = cursor === null ? undefined : await read({ ...query, limit: 2, cursor }, pricing);
    }
    expect(walked).toEqual(domains);
  });

  it('gets cursors that are valid only for the same price range and sort', async () => {
    const query = { sort: 'price_asc', min_price_cents: 1, limit: 1 };
    const cursor = (await read(query, pricing)).page.next_cursor ?? '';
    for (const other of [
      { ...query, min_price_cents: 2, cursor },
      { ...query, max_price_cents: 99_999_999, cursor },
      { ...query, sort: 'price_desc', cursor },
    ]) {
      expect(await refusal(other, pricing)).toMatchObject({ status: 400, code: 'invalid_cursor' });
    }
    // Nor does the cursor give others access to prices.
    expect(await refusal({ ...query, cursor })).toMatchObject({ status: 401 });
  });

  it('gets an error for a price range that ends before it begins', async () => {
    const { code, details } = await refusal({ min_price_cents: 2, max_price_cents: 1 }, pricing);
    expect({ code, details }).toEqual({
      code: 'validation_error',
      details: [{ path: '/min_price_cents', message: expect.any(String) }],
    });
  });
});

describe('a caller without the pricing:read scope', () => {
  it('sees masked prices and cannot sort by price', async () => {
    const { items } = await read({ limit: 1 }, managing);
    expect(items).toEqual([expect.objectContaining({ price_masked: true, price_cents: null })]);
    const { status, code } = await refusal({ sort: 'price_asc' }, managing);
    expect({ status, code }).toEqual({ status: 403, code: 'forbidden' });
  });
});

describe('a cursor of a masked list', () => {
  it('does not contain the price', async () => {
    for (const sort of ['newest', 'domain']) {
      const cursor = (await read({ limit: 1, sort, tld: 'com' })).page.next_cursor ?? '';
      const [, claims = ''] = cursor.split('.');
      expect(Buffer.from(claims, 'base64url').toString()).not.toMatch(/485000|1250000/);
    }
  });
});

describe('GET /api/market/listings with invalid input', () => {
  it('rejects cursors of other filters, sorts or kinds, and altered ones', async () => {
    const cursor = (await read({ limit: 1, tld: 'com' })).page.next_cursor ?? '';
    const ofQuotes = await app.runtime.tokens.sign('quote', { p: ['a.com', '2026-11-20', 1] });
    const bad: Query[] = [
      { cursor },
      { cursor, tld: 'net' },
      { cursor, tld: 'com', category: 'food' },
      { cursor, tld: 'com', sort: 'domain' },
      { cursor: `${cursor}x`, tld: 'com' },
      { cursor: cursor.replace(/.\./, 'x.'), tld: 'com' },
      { cursor: ofQuotes },
      { cursor: 'nonsense' },
    ];
    for (const query of bad) {
      expect([query, await refusal(query)]).toEqual([
        query,
        expect.objectContaining({ status: 400, code: 'invalid_cursor' }),
      ]);
    }
  });

  it.each([
    [{ limit: 0 }, '/limit'],
    [{ limit: 101 }, '/limit'],
    [{ limit: 'ten' }, '/limit'],
    [{ limit: '1e1' }, '/limit'],
    [{ offset: -1 }, '/offset'],
    [{ offset: 10_001 }, '/offset'],
    [{ offset: 0, cursor: 'x' }, '/offset'],
    [{ sort: 'price' }, '/sort'],
    [{ tld: 'a b' }, '/tld'],
    [{ category: 'x'.repeat(101) }, '/category'],
    [{ min_price_cents: 'much' }, '/min_price_cents'],
  ])('rejects %j and names the field', async (query, path) => {
    const { status, code, details } = await refusal(query);
    expect({ status, code }).toEqual({ status: 400, code: 'validation_error' });
    expect(details).toEqual([{ path, message: expect.any(String) }]);
  });

  it('rejects text that cannot be stored', async () => {
    expect(await refusal({ category: 'a\u0000b' })).toMatchObject({ code: 'validation_error' });
  });

  it.each([
    { min_price_cents: 1 },
    { max_price_cents: 500_000 },
    { sort: 'price_asc' },
    { sort: 'price_desc' },
  ])('rejects %j without sign-in, and links to the sign-in metadata', async (query) => {
    const { answer, status, code } = await refusal(query);
    expect({ status, code }).toEqual({ status: 401, code: 'invalid_token' });
    expect(answer.headers.get('WWW-Authenticate')).toBe(
      'Bearer resource_metadata="https://market.example/.well-known/oauth-protected-resource"',
    );
  });
});

describe('searching the listings', () => {
  beforeAll(async () => {
    await list('coffeecorner.com', { category: 'Food', priceCents: 30_000 });
    await list('bestcoffee.net', { category: 'Food', priceCents: 10_000 });
    await list('coffee.com', { category: 'Drinks', priceCents: 20_000 });
  });
  const q = 'coffee';

  it('returns matches, best first, with masked prices', async () => {
    const page = await read({ q });
    expect(page.items[0]).toMatchObject({ domain: 'coffee.com', price_masked: true });
    expect(domainsOf(page).sort()).toEqual(['bestcoffee.net', 'coffee.com', 'coffeecorner.com']);
    expect(page.page).toMatchObject({ total: 3, offset: 0, has_more: false, next_cursor: null });
    expect(await read({ q: ` ${q} `, sort: 'relevance' })).toEqual(page);
    expect((await read({ q: 'xqzvwk' })).items).toEqual([]);
  });

  it.each([
    [{ sort: 'newest' }, ['coffee.com', 'bestcoffee.net', 'coffeecorner.com']],
    [{ sort: 'domain' }, ['bestcoffee.net', 'coffee.com', 'coffeecorner.com']],
    [{ sort: 'domain', tld: 'com' }, ['coffee.com', 'coffeecorner.com']],
    [{ sort: 'domain', category: 'FOOD' }, ['bestcoffee.net', 'coffeecorner.com']],
    [{ sort: 'price_desc' }, ['coffeecorner.com', 'coffee.com', 'bestcoffee.net']],
    [{ sort: 'price_asc', min_price_cents: 15_000 }, ['coffee.com', 'coffeecorner.com']],
  ])('supports the filters and sorts of the list: %j', async (query, domains) => {
    expect(domainsOf(await read({ ...query, q }, pricing))).toEqual(domains);
  });

  it.each(['relevance', 'newest', 'domain'])('pages by cursor when sorted by %s', async (sort) => {
    const whole = domainsOf(await read({ q, sort }));
    const walked: string[] = [];
    let page = await read({ q, sort, limit: 1 });
    walked.push(...domainsOf(page));
    while (page.page.next_cursor !== null) {
      page = await read({ q, sort, limit: 1, cursor: page.page.next_cursor });
      expect(page.page).not.toHaveProperty('total');
      walked.push(...domainsOf(page));
    }
    expect(walked).toEqual(whole);
    expect(domainsOf(await read({ q, sort, offset: 1, limit: 1 }))).toEqual(whole.slice(1, 2));
  });

  it('hides prices from callers without access, also in sorts, filters and cursors', async () => {
    expect(await refusal({ q, sort: 'price_asc' })).toMatchObject({ status: 401 });
    expect(await refusal({ q, max_price_cents: 1 })).toMatchObject({ status: 401 });
    const cursor = (await read({ q, limit: 1 })).page.next_cursor ?? '';
    expect(Buffer.from(cursor.split('.')[1] ?? '', 'base64url').toString()).not.toMatch(/0000/);
    expect(await refusal({ q: 'tea', cursor })).toMatchObject({ code: 'invalid_cursor' });
    expect(await refusal({ cursor })).toMatchObject({ code: 'invalid_cursor' });
  });

  it('applies price limits in the query only for callers who can see prices', async () => {
    const all = ['bestcoffee.net', 'coffee.com', 'coffeecorner.com'];
    const cheap = 'a cheap name for coffee';
    for (const words of ['coffee under $150', 'coffee between $90 and $150', cheap]) {
      expect([words, domainsOf(await read({ q: words, sort: 'domain' }))]).toEqual([words, all]);
    }
    expect(domainsOf(await read({ q: cheap }))).toEqual(domainsOf(await read({ q })));
    const affordable = domainsOf(await read({ q: 'coffee under $150' }, pricing));
    expect(affordable.filter((domain) => all.includes(domain))).toEqual(['bestcoffee.net']);
    // Other limits apply to everybody.
    const ofSuffix = domainsOf(await read({ q: 'coffee .net under $1' }));
    expect(ofSuffix[0]).toBe('bestcoffee.net');
    expect(ofSuffix.filter((domain) => !domain.endsWith('.net'))).toEqual([]);
  });

  it.each([
    [{ q: '  ' }, '/q'],
    [{ q: 'x'.repeat(501) }, '/q'],
    [{ sort: 'relevance' }, '/sort'],
  ])('rejects %j and names the field', async (query, path) => {
    const { code, details } = await refusal(query);
    expect({ code, details }).toEqual({
      code: 'validation_error',
      details: [{ path, message: expect.any(String) }],
    });
  });
});
