import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readMiss } from '../../../shared/market/search/misses/read-miss.ts';
import { searchListings } from '../../../shared/market/search/search-listings.ts';
import { suggestSearches } from '../../../shared/market/search/suggestions.ts';
import { refreshAllEmbeddings } from '../../support/embeddings.ts';
import { countStatements, givenSearchableListing } from '../../support/inventory.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
  for (const [domain, priceCents] of [
    ['brightbakery.com', 250_000],
    ['bakeryhouse.net', 80_000],
    ['crypto-wallet.com', 300_000],
  ] as const) {
    await givenSearchableListing(runtime, { domain, priceCents });
  }
});
afterAll(() => runtime?.stop());

type Options = Partial<Parameters<typeof suggestSearches>[1]>;
const input = (query: string, options: Options) =>
  ({ environment: 'SANDBOX', query, ...options }) as const;
const suggest = async (query: string, options: Options = {}) => {
  expect(await searchListings(runtime, input(query, options))).toEqual([]);
  return suggestSearches(runtime, input(query, options));
};

describe('suggestions for a search without results', () => {
  it.each([
    ['bakery under $500', 'price', 'bakery', 2],
    ['a short bakery name under $500 in .com', 'price', 'bakery, .com, short name', 1],
    ['elegant name for a bakery, .io', 'suffix', 'bakery, premium name', 2],
    ['bakery not .com or .net', 'suffix', 'bakery', 2],
    ['.com bakery, max 6 letters', 'length', 'bakery, .com', 1],
    ['bakery starting with zz', 'letters', 'bakery', 2],
    ['bakery .com, four words, over 500 eur', 'words', 'bakery, .com, over 500 EUR', 1],
    ['wallet without crypto', 'exclusion', 'wallet', 1],
    ['.net domains under $500', 'price', '.net', 1],
  ])('for %j drop its %s limit', async (query, limit, without, count) => {
    expect(await suggest(query)).toEqual([{ kind: 'without_limit', query: without, limit, count }]);
  });

  it('drop one limit at a time and skip drops that do not help', async () => {
    expect(await suggest('bakery .net under $500')).toEqual([
      { kind: 'without_limit', query: 'bakery, .net', limit: 'price', count: 1 },
    ]);
    expect(await suggest('bakery .io under $500 over 20 letters')).toEqual([]);
  });

  it.each([
    ['bakery .io under $500', ['price', 'suffix'], 'bakery', 2],
    ['.net bakery under $500 starting with zz', ['price', 'letters'], 'bakery, .net', 1],
    ['bakery .io without crypto starting with zz', ['suffix', 'letters'], 'bakery, not crypto', 2],
  ])(
    'for %j drop two limits when dropping one is not enough',
    async (query, limits, other, count) => {
      const suggestions = await suggest(query);
      expect(suggestions).toEqual([{ kind: 'without_limits', limits, query: other, count }]);
      expect(await searchListings(runtime, input(other, {}))).toHaveLength(count);
    },
  );

  it('never drop an explicit filter', async () => {
    expect(await suggest('bakery .com', { tlds: ['io'] })).toEqual([]);
    expect(await suggest('bakery .io', { maxPriceCents: 100_000 })).toEqual([
      { kind: 'without_limit', query: 'bakery', limit: 'suffix', count: 1 },
    ]);
  });

  it('correct the spelling of the topic', async () => {
    // Search itself corrects most typos, so this skips the search.
    expect(await suggestSearches(runtime, input('bakrey under $900', {}))).toEqual([
      { kind: 'spelling', query: 'bakery, under $900', count: 1 },
      { kind: 'without_limit', query: 'bakrey', limit: 'price', count: 2 },
    ]);
  });

  it('reveal no price information when prices are hidden', async () => {
    const query = 'bakery under $500 starting with zz';
    expect(await suggest(query, { hidePrices: true })).toEqual([
      { kind: 'without_limit', query: 'bakery', limit: 'letters', count: 2 },
    ]);
    expect(await suggest(query)).toEqual([
      { kind: 'without_limits', limits: ['price', 'letters'], query: 'bakery', count: 2 },
    ]);
  });

  it('are empty for nonsense and unknown topics, with few SQL statements', async () => {
    expect(await suggest('xqzvwk')).toEqual([]);
    expect(await suggest('xqzvwk .com under $500')).toEqual([]);
    const query = 'xqzvwk .com under $500 max 6 letters starting with zz two words not blue';
    await suggestSearches(runtime, input(query, {}));
    const statements = await countStatements(runtime, () =>
      suggestSearches(runtime, input(query, {})),
    );
    expect(statements).toBeLessThanOrEqual(16);
  });
});

describe('suggestions with the sentence encoder', () => {
  let near: TestRuntime;
  beforeAll(async () => {
    near = await createTestRuntime({ SEARCH_ENCODER: 'on', embeddingsBudgetMs: 60_000 });
    // Vector cells need at least 16 names.
    const others =
      'lawdesk goldring busride cloudfarm chessclub yogaden drumlessons lunarcoffee silkscarf boatrental solarpanel puppyschool quietgarden jazzrecords harborbrewery';
    for (const label of [...others.split(' '), 'rosegarden']) {
      await givenSearchableListing(near, { domain: `${label}.com` });
    }
    await refreshAllEmbeddings(near);
  });
  afterAll(() => near?.stop());
  const topicsNear = async (query: string) =>
    (await suggestSearches(near, input(query, {}))).filter(({ kind }) => kind === 'near_topic');

  it('offer the nearest kinds of business that have names within the limits', async () => {
    const queries = (await topicsNear('legal advice .com')).map(({ query }) => query);
    expect(queries).toContain('law firm, .com');
    expect(await topicsNear('legal advice .io')).toEqual([]);
  });

  it.each(['xqzvwk', 'asdf jkl xqzzt', 'what is the capital of france', 'reset my password'])(
    'offer no kind of business for %j',
    async (query) => {
      expect(await topicsNear(query)).toEqual([]);
    },
  );

  it('list the nearest names in the report, even if no search shows them', async () => {
    const query = 'what is the capital of france';
    expect(await searchListings(near, input(query, {}))).toEqual([]);
    const { nearest } = await readMiss(near, 'SANDBOX', query);
    expect(nearest).toHaveLength(3);
    const scores = nearest.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });
});
