import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { searchListings } from '../../../shared/market/search/search-listings.ts';
import { NAMED_PATTERNS } from '../../../shared/market/search/understanding/letter-patterns.ts';
import { understandQuery } from '../../../shared/market/search/understanding/understand-query.ts';
import { countStatements, givenSearchableListing } from '../../support/inventory.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

/** Names with a price in dollars and their owners' keywords. */
const NAMES: readonly (readonly [domain: string, price: number, keywords?: string[]])[] = [
  ['bakery.com', 90_000],
  ['bakerylane.com', 450],
  ['oldbakery.io', 300],
  ['bakery-house.com', 250],
  ['bakery24.com', 120],
  ['crumbandcrust.net', 900, ['bakery', 'bread']],
  ['cakebakery.de', 80, ['cake', 'wedding']],
  ['loaf.com', 20_000, ['bakery', 'bread']],
  ['zorvi.com', 2_400],
  ['zelu.io', 450],
  ['brightly.com', 3_000],
  ['kindly.co', 700],
  ['neoforge.com', 1_900],
  ['neopath.net', 150],
  ['quietriver.com', 800],
  ['quiet-river.com', 100],
  ['lake.ai', 5_000],
  ['verylongcompanyname.info', 20],
  ['grün.de', 640],
];

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
  for (const [domain, price, keywords] of NAMES) {
    await givenSearchableListing(runtime, { domain, priceCents: price * 100, keywords });
  }
});
afterAll(() => runtime.stop());

type Options = Partial<Parameters<typeof searchListings>[1]>;
const search = (query: string, options: Options = {}) =>
  searchListings(runtime, { environment: 'SANDBOX', query, ...options });
const domains = async (query: string, options: Options = {}) =>
  (await search(query, options)).map(({ domainUnicode }) => domainUnicode);

describe('limits in the words of a search', () => {
  it.each([
    [
      'bakery under 500',
      ['bakery-house.com', 'bakery24.com', 'bakerylane.com', 'cakebakery.de', 'oldbakery.io'],
    ],
    ['bakery under $500 .com', ['bakery-house.com', 'bakery24.com', 'bakerylane.com']],
    ['bakery .com under 500 no hyphens', ['bakery24.com', 'bakerylane.com']],
    ['bakery .com under 500, no hyphens or numbers', ['bakerylane.com']],
    ['bakery over 10k', ['bakery.com', 'loaf.com']],
    ['bakery between 200 and 400', ['bakery-house.com', 'oldbakery.io']],
    ['bakery max 6 letters', ['bakery.com', 'loaf.com']],
    ['four letter bakery name', ['loaf.com']],
    ['bakery not .com', ['cakebakery.de', 'crumbandcrust.net', 'oldbakery.io']],
    ['bakery starting with o', ['oldbakery.io']],
    ['bakery ending in lane', ['bakerylane.com']],
    ['bakery containing house', ['bakery-house.com']],
    ['bakery in .de or .io', ['cakebakery.de', 'oldbakery.io']],
    ['river without hyphens', ['quietriver.com']],
    ['bakery with a hyphen', ['bakery-house.com']],
    ['bakery with a number in it', ['bakery24.com']],
    ['bakery .com not ending in lane or house', ['bakery.com', 'bakery24.com', 'loaf.com']],
    ['river, two words, no hyphens', ['quietriver.com']],
  ])('applies %j', async (query, expected) => {
    expect((await domains(query)).sort()).toEqual(expected);
  });

  it('leaves out names related to an excluded word, its forms, or synonyms', async () => {
    expect(await domains('bakery under 500 but not cakes')).not.toContain('cakebakery.de');
    expect(await domains('bakery under 500')).toContain('cakebakery.de');
    expect(await domains('bakery -bread over 10k')).toEqual(['bakery.com']);
  });

  it('lets explicit filters override words', async () => {
    expect(await domains('bakery .io', { tlds: ['de'] })).toEqual(['cakebakery.de']);
    expect(await domains('bakery over 10k', { maxPriceCents: 10_000 })).toEqual(['cakebakery.de']);
    expect(await domains('bakery .io under 10', { minPriceCents: 1 })).toEqual(['oldbakery.io']);
  });

  it('counts the visible characters of a label', async () => {
    expect(await domains('four letter .de')).toEqual(['grün.de']);
    expect(await domains('exactly 11 characters')).toEqual(['quiet-river.com']);
  });

  it.each([
    ['four letter com', ['loaf.com']],
    ['four letter names under 1000', ['grün.de', 'zelu.io']],
    ['.ai', ['lake.ai']],
    ['names starting with neo', ['neoforge.com', 'neopath.net']],
    ['names starting with neo under 500', ['neopath.net']],
    ['ending in ly', ['brightly.com', 'kindly.co']],
    ['containing quiet', ['quiet-river.com', 'quietriver.com']],
    ['containing river no hyphens', ['quietriver.com']],
    ['hyphenated names under 200', ['quiet-river.com']],
    ['.io, not starting with z', ['oldbakery.io']],
    ['under 50 dollars', ['verylongcompanyname.info']],
    ['over 50k', ['bakery.com']],
    ['cheap names under 90', ['cakebakery.de', 'verylongcompanyname.info']],
  ])('finds names for %j without a topic', async (query, expected) => {
    expect((await domains(query)).sort()).toEqual(expected);
  });

  it.each([
    ['short catchy brand name', /^(zelu|zorvi|loaf|lake)\./],
    ['premium one word .com', /^(bakery|loaf)\.com$/],
    ['cheap domains', /^(verylongcompanyname|neopath|cakebakery)\./],
    ['made-up name', /^(zelu|zorvi|grün)\./],
    ['short name', /^(loaf|lake|zelu|grün)\./],
  ])('answers the wish %j with names like %s', async (query, wanted) => {
    const results = await domains(query);
    expect(results.length).toBeGreaterThanOrEqual(4);
    expect(results[0]).toMatch(wanted);
  });

  it('ranks matches for a topic by the wish, without dropping any', async () => {
    const plain = await domains('bakery');
    expect((await domains('cheap bakery domain'))[0]).toMatch(
      /^(cakebakery|bakery24|bakery-house)/,
    );
    expect((await domains('short bakery name'))[0]).toMatch(/^(bakery|loaf)\.com$/);
    expect((await domains('premium bakery domain'))[0]).toBe('bakery.com');
    expect(plain[0]).toBe('bakery.com');
  });

  it('offers made-up names if there are none for the topic, and names for a wish alone', async () => {
    expect((await domains('made up name for a plumber'))[0]).toMatch(/^(zelu|zorvi|grün)\./);
    expect((await domains('catchy name for a river'))[0]).toMatch(/river/);
    expect((await domains('elegant'))[0]).toMatch(/^(bakery|loaf)\.com$/);
    expect(await domains('catchy name for xqzvwkjh')).toEqual([]);
  });

  it('sorts by score, from 0 to 1', async () => {
    for (const query of ['short name', 'cheap bakery domain', '.com under 5000']) {
      const scores = (await search(query)).map(({ score }) => score);
      expect(scores.length).toBeGreaterThan(0);
      expect(scores).toEqual([...scores].sort((a, b) => b - a));
      for (const score of scores) expect(score > 0 && score <= 1).toBe(true);
    }
  });

  it('takes one SQL statement without a topic', async () => {
    expect(await countStatements(runtime, () => search('short .com under 500'))).toBe(1);
  });
});

describe('letter and digit patterns', () => {
  beforeAll(async () => {
    const names = `noon.com civic.org zelu.io go24.com 8864.com 8868.net lake.ai like.ai rhythm.net gym.org kindl.co
      mama.com aabb.de 888.com 474.com smörgåsbord.de bookkeeper.com bcdfg.com a-24.com bakery.com bakeryzoo.com 24bakery.com`;
    for (const domain of names.split(/\s+/)) {
      await givenSearchableListing(runtime, { domain, environment: 'LIVE' });
    }
  });

  it.each([
    ['palindrome', ['474.com', '888.com', 'civic.org', 'noon.com']],
    ['four letter palindrome', ['noon.com']],
    ['ABBA', ['noon.com']],
    ['AABB', ['aabb.de']],
    ['ABAB', ['mama.com']],
    ['repeating syllables', ['888.com', 'mama.com']],
    ['palindromic numbers', ['474.com', '888.com']],
    ['non latin script', ['smörgåsbord.de']],
    ['CVCV', ['lake.ai', 'like.ai', 'mama.com', 'zelu.io']],
    ['LLNN', ['go24.com']],
    ['two letters two digits', ['go24.com']],
    ['3N .com', ['474.com', '888.com']],
    ['3 digit lucky numbers', ['888.com']],
    ['4 digits', ['8864.com', '8868.net']],
    ['lucky numbers', ['8868.net', '888.com']],
    ['digits only, no 4', ['8868.net', '888.com']],
    ['starts with a digit .com', ['24bakery.com', '474.com', '8864.com', '888.com']],
    ['ends in a number .com', ['474.com', '8864.com', '888.com', 'a-24.com', 'go24.com']],
    ['letters only, no vowels', ['bcdfg.com', 'gym.org', 'rhythm.net']],
    ['l??e.ai', ['lake.ai', 'like.ai']],
    ['l_k_.com', []],
    ['three letters, no repeated letters', ['gym.org']],
    ['five letters, at most one vowel', ['bcdfg.com', 'kindl.co']],
    ['pronounceable five letters', ['civic.org']],
    ['double o', ['bakeryzoo.com', 'bookkeeper.com', 'noon.com']],
    ['same letter at start and end, no digits', ['civic.org', 'noon.com']],
    ['bakery with double letters', ['bakeryzoo.com']],
    ['bakery starting with a digit', ['24bakery.com']],
    ['one syllable .ai', ['lake.ai', 'like.ai']],
    ['starts with l or n, no digits', ['lake.ai', 'like.ai', 'noon.com']],
    ['3x + 7 = 22', []],
  ])('applies %j', async (query, expected) => {
    expect((await domains(query, { environment: 'LIVE' })).sort()).toEqual(expected);
  });

  it.each(NAMED_PATTERNS.map(({ name, said }) => [name, said.split(',')[0] ?? '']))(
    'recognizes %j',
    async (name, phrase) => {
      expect(understandQuery(phrase).patterns.map((pattern) => pattern.name)).toEqual([name]);
      await expect(domains(phrase, { environment: 'LIVE' })).resolves.toBeInstanceOf(Array);
    },
  );
});
