import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TRADES } from '../../../db/seeds/business-vocabulary.ts';
import { seedInventory } from '../../../db/seeds/inventory.ts';
import { delistListing } from '../../../shared/market/inventory/change-listings.ts';
import { findListing } from '../../../shared/market/inventory/find-listing.ts';
import { searchListings } from '../../../shared/market/search/search-listings.ts';
import { MINUTE } from '../../../shared/platform/clock.ts';
import type { Environment } from '../../../shared/platform/config/config.ts';
import { givenPartner } from '../../support/factories.ts';
import { countStatements, givenHold, givenSearchableListing } from '../../support/inventory.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
  await seedInventory(runtime);
});
afterAll(() => runtime.stop());

type Options = Partial<Parameters<typeof searchListings>[1]>;
const search = (query: string, options: Options = {}) =>
  searchListings(runtime, { environment: 'SANDBOX', query, ...options });
const domains = async (query: string, options: Options = {}) =>
  (await search(query, options)).map(({ domain }) => domain);

/** Judged by category, or by the owner's keywords if there is none. */
async function isOfTrade(domain: string, category: string): Promise<boolean> {
  const listing = await findListing(runtime, { environment: 'SANDBOX', domain });
  const words = TRADES.find((trade) => trade.category === category)?.keywords ?? [];
  return listing?.category === null
    ? listing.keywords.some((keyword) => words.includes(keyword))
    : listing?.category === category;
}

describe('searching the inventory', () => {
  it.each([
    'neonwallet.com',
    'NeonWallet.com',
    'https://www.neonwallet.com/offer?x=1',
    'neonwallet',
    'neon wallet',
    'NEON-WALLET',
    'neon walet',
    'nenwallet',
  ])('finds neonwallet.com first for %j', async (query) => {
    expect((await domains(query))[0]).toBe('neonwallet.com');
  });

  it('gives an exact domain match a score of 1', async () => {
    const [first] = await search('neonwallet.com');
    expect(first).toEqual({
      domain: 'neonwallet.com',
      domainUnicode: 'neonwallet.com',
      tld: 'com',
      priceCents: 485_000,
      floorPriceCents: 420_000,
      currency: 'USD',
      offersAccepted: true,
      category: 'Crypto',
      score: 1,
    });
  });

  it.each([
    ['crypto wallet', 'Crypto'],
    ['coffee roaster', 'Coffee'],
    ['dog walker app', 'Pets'],
    ['restaurant table booking', 'Restaurants'],
    ['tool for sending invoices', 'Payments'],
    ['online store for shoes', 'Shoes'],
    ['fotography', 'Photography'],
  ])('answers %j with names of that trade', async (query, category) => {
    const results = await search(query);
    expect(results.length).toBe(5);
    const ofTrade = await Promise.all(results.map(({ domain }) => isOfTrade(domain, category)));
    expect(ofTrade.filter(Boolean).length).toBeGreaterThanOrEqual(3);
  });

  it('finds names by meaning that share no word with the query', async () => {
    await givenSearchableListing(runtime, { domain: 'quiltedowl.com', keywords: ['lawyer'] });
    expect(await domains('attorney quilted')).toContain('quiltedowl.com');
  });

  it('finds names in other scripts and without their accents', async () => {
    expect(await domains('青空', { environment: 'LIVE' })).toContain('xn--czrs0t4nx4l0a.jp');
    const [bakery] = await search('пекарня', { environment: 'LIVE' });
    expect(bakery?.domainUnicode).toMatch(/пекарня/);
    expect(await domains('grunwerk')).toEqual(await domains('grünwerk'));
    expect((await search('grunwerk'))[0]?.domainUnicode).toBe('grünwerk.de');
  });

  it('finds names in Latin letters by words of other scripts', async () => {
    for (const domain of ['moskva.com', 'cvety-shop.com', 'sakurastudio.com', 'gangnam.app']) {
      await givenSearchableListing(runtime, { domain });
    }
    expect((await domains('москва'))[0]).toBe('moskva.com');
    expect(await domains('цветы')).toContain('cvety-shop.com');
    expect(await domains('さくら')).toContain('sakurastudio.com');
    expect((await domains('강남'))[0]).toBe('gangnam.app');
  });

  it('sorts by score and returns at most five results, or fewer on request', async () => {
    const results = await search('wallet');
    expect(results).toHaveLength(5);
    const scores = results.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    for (const score of scores) expect(score > 0 && score <= 1).toBe(true);
    expect(await search('wallet', { limit: 2 })).toEqual(results.slice(0, 2));
    expect(await search('wallet', { limit: 50 })).toHaveLength(5);
    expect(await search('wallet')).toEqual(results);
  });

  it.each(['xqzvwkjh', 'asdkjh qweoiu zxcmn', '!!!', '🇽🇽', '    ', '::&|!()*'])(
    'returns nothing for the nonsense %j',
    async (query) => {
      expect(await search(query)).toEqual([]);
    },
  );

  it('applies suffix and price filters', async () => {
    const all = await search('wallet', { tlds: ['io', 'net'] });
    expect(all.length).toBeGreaterThan(0);
    for (const { tld } of all) expect(['io', 'net']).toContain(tld);
    const cheap = await search('wallet', { minPriceCents: 50_000, maxPriceCents: 150_000 });
    expect(cheap.length).toBeGreaterThan(0);
    for (const { priceCents } of cheap) {
      expect(priceCents >= 50_000 && priceCents <= 150_000).toBe(true);
    }
    expect(await search('wallet', { tlds: ['museum'] })).toEqual([]);
  });

  it('never shows listings of the other environment', async () => {
    expect(await domains('neonwallet.com', { environment: 'LIVE' })).not.toContain(
      'neonwallet.com',
    );
    expect(await domains('copperfinch.com')).not.toContain('copperfinch.com');
    expect(await domains('copperfinch.com', { environment: 'LIVE' })).toContain('copperfinch.com');
  });

  it('hides delisted names, and names held by a quote until it expires', async () => {
    await givenSearchableListing(runtime, { domain: 'velvetotter.com' });
    expect(await domains('velvetotter')).toContain('velvetotter.com');
    await delistListing(runtime, { environment: 'SANDBOX', domain: 'velvetotter.com' });
    expect(await domains('velvetotter')).not.toContain('velvetotter.com');

    const held = await givenSearchableListing(runtime, { domain: 'amberotter.com' });
    const { partnerId } = await givenPartner(runtime);
    const until = new Date(runtime.clock.now().getTime() + MINUTE);
    await givenHold(runtime, partnerId, held, until);
    expect(await domains('amberotter')).not.toContain('amberotter.com');
    runtime.clock.advance(2 * MINUTE);
    expect(await domains('amberotter')).toContain('amberotter.com');
  });

  it('takes one SQL statement, plus one for names it has not found recently', async () => {
    for (const query of ['wallet', 'a marketplace for second hand camera lenses and old photos']) {
      expect(await countStatements(runtime, () => search(query))).toBeLessThanOrEqual(2);
      expect(await countStatements(runtime, () => search(query))).toBe(1);
    }
  });

  it('handles any text of up to 500 characters', async () => {
    const words = fc.constantFrom(
      'the',
      'wallet',
      'a|b',
      "o'neil",
      '<->',
      ':*',
      '%',
      '_',
      '\\',
      'ﬁ',
      'under 500',
      '.com',
      'four letter',
      'not',
      'starting with',
      'short',
      'name',
    );
    const query = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 500 }),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.array(words, { maxLength: 20 }).map((parts) => parts.join(' ').slice(0, 500)),
    );
    const environment = fc.constantFrom<Environment>('SANDBOX', 'LIVE');
    await fc.assert(
      fc.asyncProperty(query, environment, async (text, where) => {
        const results = await search(text, { environment: where });
        expect(results.length).toBeLessThanOrEqual(5);
        for (const { score } of results) expect(score > 0 && score <= 1).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
