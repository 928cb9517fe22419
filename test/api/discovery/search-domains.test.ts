import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenSearchableListing } from '../../support/inventory.ts';

let app: TestApp;
let partner: Awaited<ReturnType<TestApp['partner']>>;

beforeAll(async () => {
  app = await startTestApp();
  partner = await app.partner();
  for (const [domain, priceCents] of [
    ['neonwallet.com', 485_000],
    ['neonwallet.io', 120_000],
    ['quietwallet.net', 90_000],
    ['amberwallet.com', 310_000],
    ['walletforge.co.uk', 70_000],
    ['walletnest.com', 260_000],
    ['swiftwallet.de', 40_000],
  ] as const) {
    await givenSearchableListing(app.runtime, {
      domain,
      priceCents,
      floorPriceCents: domain === 'neonwallet.com' ? 400_000 : undefined,
      category: 'Finance',
      offersAccepted: true,
      keywords: ['crypto', 'wallet'],
    });
  }
  await givenSearchableListing(app.runtime, { domain: 'livewallet.com', environment: 'LIVE' });
});
afterAll(() => app.stop());

const search = (query: Record<string, string | number>, expected = 200) =>
  partner.client.get('/v1/domains/search', { query }).expect(expected);

const NOTHING_UNDERSTOOD = {
  tlds: [],
  excluded_tlds: [],
  min_price_cents: null,
  max_price_cents: null,
  currency: null,
  min_length: null,
  max_length: null,
  starts_with: null,
  ends_with: null,
  contains: [],
  no_hyphens: false,
  no_digits: false,
  with_hyphens: false,
  with_digits: false,
  only_digits: false,
  pattern: null,
  not_starts_with: [],
  not_ends_with: [],
  words: null,
  excluded: [],
  wishes: [],
  corrected: null,
};

describe('GET /v1/domains/search', () => {
  it('returns at most five results, best first', async () => {
    const { body } = await search({ q: '  neon wallet ' });
    expect(body.query).toBe('neon wallet');
    expect(body.count).toBe(body.results.length);
    expect(body.results[0]).toEqual({
      domain: 'neonwallet.com',
      domain_unicode: 'neonwallet.com',
      tld: 'com',
      price_cents: 485_000,
      floor_price_cents: 400_000,
      currency: 'USD',
      offers_accepted: true,
      category: 'Finance',
      score: expect.any(Number),
    });
    const all = await search({ q: 'wallet' });
    expect(all.body.count).toBe(5);
    const scores = all.body.results.map(({ score }: { score: number }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });

  it('suggests searches with results when it finds nothing', async () => {
    const { body } = await search({ q: 'wallet .com under $100', max_price_cents: 300_000 });
    expect(body.suggestions).toEqual([]);
    expect(body.count).toBeGreaterThan(0);
    const none = await search({ q: 'wallet .org', max_price_cents: 300_000 });
    expect(none.body).toMatchObject({
      results: [],
      suggestions: [{ kind: 'without_limit', query: 'wallet', limit: 'suffix', count: 5 }],
    });
    const query = none.body.suggestions[0].query;
    expect((await search({ q: query, max_price_cents: 300_000 })).body.count).toBe(5);
    expect((await search({ q: 'xqzvwk' })).body.suggestions).toEqual([]);
  });

  it('returns only listings of the credential’s environment', async () => {
    const live = await app.partner({ environment: 'LIVE' });
    const { body } = await live.client.get('/v1/domains/search', { query: { q: 'wallet' } });
    expect(body.results.map(({ domain }: { domain: string }) => domain)).toEqual([
      'livewallet.com',
    ]);
  });

  it('filters by suffix and price', async () => {
    const bySuffix = await search({ q: 'wallet', tld: ' .IO, co.uk' });
    expect(bySuffix.body.results.map(({ tld }: { tld: string }) => tld).sort()).toEqual([
      'co.uk',
      'io',
    ]);
    const byPrice = await search({
      q: 'wallet',
      min_price_cents: 80_000,
      max_price_cents: 130_000,
    });
    expect(byPrice.body.results.map(({ domain }: { domain: string }) => domain).sort()).toEqual([
      'neonwallet.io',
      'quietwallet.net',
    ]);
  });

  it('applies limits given in words, and reports them as interpreted', async () => {
    const { body } = await search({ q: 'wallet under $1,000 in .net or .uk, not quiet, short' });
    expect(body.interpreted).toEqual({
      ...NOTHING_UNDERSTOOD,
      topic: 'wallet',
      tlds: ['net', 'uk'],
      max_price_cents: 100_000,
      currency: 'USD',
      excluded: ['quiet'],
      wishes: ['short'],
    });
    expect(body.results).toEqual([]);
    const found = await search({
      q: 'i want a wallet name, .io or .net, max 11 letters, under 2k',
    });
    expect(found.body.interpreted).toMatchObject({
      topic: 'wallet',
      tlds: ['io', 'net'],
      max_length: 11,
      max_price_cents: 200_000,
    });
    expect(found.body.results.map(({ domain }: { domain: string }) => domain).sort()).toEqual([
      'neonwallet.io',
      'quietwallet.net',
    ]);
  });

  it('applies limits and preferences without a topic', async () => {
    const { body } = await search({ q: '.com names starting with neon under 5k' });
    expect(body.interpreted).toMatchObject({ topic: '', starts_with: 'neon', tlds: ['com'] });
    expect(body.results.map(({ domain }: { domain: string }) => domain)).toEqual([
      'neonwallet.com',
    ]);
  });

  it('lets query parameters override limits given in words, and reports only those applied', async () => {
    const { body } = await search({
      q: 'wallet .com under 100',
      tld: 'de',
      max_price_cents: 50_000,
    });
    expect(body.interpreted).toEqual({ ...NOTHING_UNDERSTOOD, topic: 'wallet' });
    expect(body.results.map(({ domain }: { domain: string }) => domain)).toEqual([
      'swiftwallet.de',
    ]);
  });

  it('reports how it corrected the spelling of the topic', async () => {
    const { body } = await search({ q: 'neon walett under $90,000' });
    expect(body.results[0].domain).toBe('neonwallet.com');
    expect(body.interpreted).toMatchObject({ topic: 'neon walett', corrected: 'neon wallet' });
    expect((await search({ q: 'neonwallet' })).body.interpreted.corrected).toBeNull();
    expect((await search({ q: 'qzxv wlptk' })).body.interpreted.corrected).toBeNull();
  });

  it('explains its results in SANDBOX only', async () => {
    const { body } = await search({ q: 'neon crypto', explain: 'true' });
    expect(body.results[0]).toMatchObject({
      domain: 'neonwallet.com',
      explanation: {
        exact: null,
        meaning: expect.any(Number),
        words: [
          { asked: 'neon', met_by: 'neon', where: 'label', worth: 1 },
          { asked: 'crypto', met_by: 'crypto', where: 'tags' },
        ],
      },
    });
    const plain = await search({ q: 'neon crypto', explain: 'false' });
    expect(plain.body.results[0]).not.toHaveProperty('explanation');
    const live = await app.partner({ environment: 'LIVE' });
    const refused = await live.client
      .get('/v1/domains/search', { query: { q: 'wallet', explain: 'true' } })
      .expect(400);
    expect(refused.body.error.details[0].path).toBe('/explain');
  });

  it('ranks a made-up name first, even with a typo, and explains the match', async () => {
    await givenSearchableListing(app.runtime, { domain: 'zavirro.net', priceCents: 90_000 });
    for (const [q, exact] of [
      ['zavirro', 'label'],
      ['zaviro', 'slip'],
      ['zavirro.net', 'domain'],
    ] as const) {
      const { body } = await search({ q, explain: 'true' });
      expect(body.results[0]).toMatchObject({ domain: 'zavirro.net', explanation: { exact } });
      expect(body.results[0].score).toBeGreaterThanOrEqual(0.94);
    }
  });

  it('returns an empty list for nonsense', async () => {
    expect((await search({ q: 'xqzvwkjh' })).body).toEqual({
      query: 'xqzvwkjh',
      interpreted: { ...NOTHING_UNDERSTOOD, topic: 'xqzvwkjh' },
      count: 0,
      suggestions: [],
      results: [],
    });
  });

  it.each([
    [{}, '/q'],
    [{ q: '' }, '/q'],
    [{ q: '   ' }, '/q'],
    [{ q: 'x'.repeat(501) }, '/q'],
    [{ q: 'a\u0000b' }, '/q'],
    [{ q: 'wallet', min_price_cents: 'cheap' }, '/min_price_cents'],
    [{ q: 'wallet', max_price_cents: -1 }, '/max_price_cents'],
    [{ q: 'wallet', min_price_cents: 1.5 }, '/min_price_cents'],
    [{ q: 'wallet', min_price_cents: 2, max_price_cents: 1 }, '/min_price_cents'],
    [{ q: 'wallet', tld: 'com,' }, '/tld'],
    [{ q: 'wallet', tld: 'c m' }, '/tld'],
  ])('rejects %j and names %s', async (query: Record<string, string | number>, path) => {
    const { body } = await search(query, 400);
    expect(body.error.code).toBe('validation_error');
    expect(body.error.details[0].path).toBe(path);
  });

  it.each([
    'the',
    '🦄🦄🦄',
    'a & b | !c <-> (d:*)',
    '\u0001\u001f\u007f',
    "'; drop table listings; --",
    '%%__\\\\',
    'ｗａｌｌｅｔ',
    'a',
    '🦄',
    '青',
    '👩‍👩‍👧‍👦 family',
    '🏳️‍🌈 under 500',
    'x'.repeat(500),
    '🦄'.repeat(500),
    '青'.repeat(500),
    'home '.repeat(100).trim(),
    'a the of and for with',
    '.,;:!?…—()[]{}',
    'wallet:* & !coffee | <2> (tea)',
    "l:wallet+ k:wallet '{}' $1 --",
    'سفر سعيد שיניים café 青空 пекарня',
    '\u202ewallet\u202c \u200dneon\ufeff',
    'z\u0335\u0321\u0353'.repeat(50),
    'xn--a xn--55qx5d..com//',
    'https://user:pw@neonwallet.com:99999/?q=%00',
  ])('accepts %j without an error', async (q) => {
    const { body } = await search({ q });
    expect(Array.isArray(body.results)).toBe(true);
  });
});
