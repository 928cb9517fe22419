import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addListing } from '../../../shared/inventory/add-listing.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';

const PATH = '/market/listings';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ BASE_URL: 'https://market.example' });
  app.runtime.clock.set('2026-11-20T09:30:00.000Z');
  await list('oldest.com', { category: 'Food', priceCents: 485_000 });
  await list('kettle.net', { category: 'Food', priceCents: 9_900, offersAccepted: true });
  await list('anvil.com', { category: 'Tools', currency: 'EUR', priceCents: 1_250_000 });
  await list('xn--bcher-kva.de');
  await list('newest.com', { category: 'food' });
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

function ask(query: Record<string, string | number>, base = '/api') {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  return fetch(`${app.url}${base}${PATH}?${search}`);
}

async function read(query: Record<string, string | number> = {}): Promise<Page> {
  const answer = await ask(query);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Page;
}

const domainsOf = ({ items }: Page) => items.map(({ domain }) => domain);

async function refusal(query: Record<string, string | number>) {
  const answer = await ask(query);
  const { error } = (await answer.json()) as { error: { code: string; details?: unknown } };
  return { answer, status: answer.status, code: error.code, details: error.details };
}

describe('GET /api/market/listings', () => {
  it('shows what is for sale, newest first, with its price masked', async () => {
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

  it('answers under /api/v1 as well, to pages of other origins, and tells how the caller stands', async () => {
    const answer = await ask({ limit: 5 }, '/api/v1');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual(await read({ limit: 5 }));
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(answer.headers.get('RateLimit-Policy')).toBe('120;w=60');
  });

  it.each([
    [{ tld: 'com' }, ['newest.com', 'anvil.com', 'oldest.com']],
    [{ tld: '.COM' }, ['newest.com', 'anvil.com', 'oldest.com']],
    [{ tld: 'museum' }, []],
    [{ category: 'FOOD' }, ['newest.com', 'kettle.net', 'oldest.com']],
    [{ category: 'food', tld: 'com' }, ['newest.com', 'oldest.com']],
    [{ sort: 'domain', tld: 'com' }, ['anvil.com', 'newest.com', 'oldest.com']],
    [{ sort: 'domain', category: 'food' }, ['kettle.net', 'newest.com', 'oldest.com']],
  ])('filters and sorts by %j, and counts what the filter has', async (query, domains) => {
    const page = await read(query);
    expect(domainsOf(page)).toEqual(domains);
    expect(page.page).toMatchObject({ total: domains.length, has_more: false, next_cursor: null });
  });
});

describe('a walk over the listings', () => {
  const WHOLE = ['newest.com', 'xn--bcher-kva.de', 'anvil.com', 'kettle.net', 'oldest.com'];

  it('by cursor ends with a null cursor, and costs no total', async () => {
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

  it('by offset may go on by cursor, with another page size, too', async () => {
    const first = await read({ limit: 2, offset: 1 });
    expect(domainsOf(first)).toEqual(WHOLE.slice(1, 3));
    expect(first.page).toMatchObject({ offset: 1, total: 5 });
    const rest = await read({ limit: 100, cursor: first.page.next_cursor ?? '' });
    expect(domainsOf(rest)).toEqual(WHOLE.slice(3));
    expect(rest.page).toEqual({ limit: 100, has_more: false, next_cursor: null });
  });

  it('by offset past the end is empty and still tells the total', async () => {
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

  it('takes a suffix in another spelling for the same filter', async () => {
    const { page } = await read({ tld: 'com', limit: 1 });
    const next = await read({ tld: '.COM', limit: 1, cursor: page.next_cursor ?? '' });
    expect(domainsOf(next)).toEqual(['anvil.com']);
  });
});

describe('what the listings refuse', () => {
  it('is a cursor of other filters or sort, of another kind, changed, or none at all', async () => {
    const cursor = (await read({ limit: 1, tld: 'com' })).page.next_cursor ?? '';
    const ofQuotes = await app.runtime.tokens.sign('quote', { p: ['a.com', '2026-11-20', 1] });
    const bad: Record<string, string | number>[] = [
      { cursor },
      { cursor, tld: 'net' },
      { cursor, tld: 'com', category: 'food' },
      { cursor, tld: 'com', sort: 'domain' },
      { cursor: `${cursor}x`, tld: 'com' },
      { cursor: cursor.replace(/.\./, 'x.'), tld: 'com' },
      { cursor: ofQuotes },
      { cursor: 'nonsense' },
      { cursor: '' },
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
    [{ tld: '' }, '/tld'],
    [{ tld: 'a b' }, '/tld'],
    [{ category: '' }, '/category'],
    [{ category: 'x'.repeat(101) }, '/category'],
    [{ min_price_cents: 'much' }, '/min_price_cents'],
  ])('is %j, naming the field', async (query, path) => {
    const { status, code, details } = await refusal(query);
    expect({ status, code }).toEqual({ status: 400, code: 'validation_error' });
    expect(details).toEqual([{ path, message: expect.any(String) }]);
  });

  it('is text that cannot be stored', async () => {
    expect(await refusal({ category: 'a\u0000b' })).toMatchObject({ code: 'validation_error' });
  });

  it.each([
    { min_price_cents: 1 },
    { max_price_cents: 500_000 },
    { sort: 'price_asc' },
    { sort: 'price_desc' },
  ])('is %j of a caller who is not signed in, with the way to sign in', async (query) => {
    const { answer, status, code } = await refusal(query);
    expect({ status, code }).toEqual({ status: 401, code: 'invalid_token' });
    expect(answer.headers.get('WWW-Authenticate')).toBe(
      'Bearer resource_metadata="https://market.example/.well-known/oauth-protected-resource"',
    );
  });
});
