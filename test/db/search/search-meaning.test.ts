import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { searchListings } from '../../../shared/market/search/search-listings.ts';
import { givenSearchableListing } from '../../support/inventory.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
  for (const domain of [
    'toothclinic.com',
    'brightlantern.com',
    'motorcyclehub.com',
    'harborbrewery.com',
    'guitarlessons.com',
    'mortgagedesk.com',
    'farmersmortgage.com',
    'denvermortgage.com',
    'mortgageforkids.com',
  ]) {
    await givenSearchableListing(runtime, { domain });
  }
});
afterAll(() => runtime.stop());

const search = async (query: string) =>
  (await searchListings(runtime, { environment: 'SANDBOX', query })).map(({ domain }) => domain);

describe('searching by meaning', () => {
  it.each([
    ['orthodontist', 'toothclinic.com'],
    ['motorbike', 'motorcyclehub.com'],
    ['learn to play an instrument', 'guitarlessons.com'],
  ])('finds for %j, of which it has no word, %s', async (query, domain) => {
    expect((await search(query))[0]).toBe(domain);
  });

  it('answers with what fits when a word of the query is nowhere', async () => {
    expect((await search('brewery in ouagadougou'))[0]).toBe('harborbrewery.com');
    expect((await search('xqzzt brewery'))[0]).toBe('harborbrewery.com');
  });

  it('says so with a lower score', async () => {
    const scoreOf = async (query: string) =>
      (await searchListings(runtime, { environment: 'SANDBOX', query }))[0]?.score ?? 0;
    expect(await scoreOf('brewery in ouagadougou')).toBeLessThan(await scoreOf('brewery'));
  });

  it('has names for others, or for another place, behind those for all', async () => {
    const [first, ...others] = await search('mortgage');
    expect(first).toBe('mortgagedesk.com');
    expect(others).toEqual(expect.arrayContaining(['farmersmortgage.com', 'denvermortgage.com']));
    expect((await search('mortgage for farmers'))[0]).toBe('farmersmortgage.com');
    expect((await search('denver mortgage'))[0]).toBe('denvermortgage.com');
  });

  it.each(['xqzzt', 'qwrtp zxcvb mnbvc', 'asdf jkl xqzzt'])('has nothing for %j', async (query) => {
    expect(await search(query)).toEqual([]);
  });
});
