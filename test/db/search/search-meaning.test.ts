import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { searchListings } from '../../../shared/market/search/search-listings.ts';
import { refreshAllEmbeddings } from '../../support/embeddings.ts';
import { givenSearchableListing } from '../../support/inventory.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

/** Long enough for every search to get its vector. */
const PATIENT_MS = 60_000;

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime({ SEARCH_ENCODER: 'on', embeddingsBudgetMs: PATIENT_MS });
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
    'deepseadiving.com',
    'winterboots.com',
    'solarpanels.com',
    'officechairs.com',
    'cloudbackup.com',
    'rooftopgarden.com',
    'horsestable.com',
    'weddingcakes.com',
    'duvetking.com',
  ]) {
    await givenSearchableListing(runtime, { domain });
  }
  await refreshAllEmbeddings(runtime);
});
afterAll(() => runtime.stop());

const search = async (query: string) =>
  (await searchListings(runtime, { environment: 'SANDBOX', query })).map(({ domain }) => domain);

describe('searching by meaning', () => {
  it.each([
    ['orthodontist', 'toothclinic.com'],
    ['motorbike', 'motorcyclehub.com'],
    ['learn to play an instrument', 'guitarlessons.com'],
    ['my tooth hurts', 'toothclinic.com'],
    ['underwater adventures', 'deepseadiving.com'],
    ['renewable energy for my home', 'solarpanels.com'],
    ['bettwäsche', 'duvetking.com'],
  ])('finds for %j, %s', async (query, domain) => {
    expect((await search(query))[0]).toBe(domain);
  });

  it('ignores a word of the query that no name has', async () => {
    expect((await search('brewery in ouagadougou'))[0]).toBe('harborbrewery.com');
    expect((await search('xqzzt brewery'))[0]).toBe('harborbrewery.com');
  });

  it('gives such results a lower score', async () => {
    const scoreOf = async (query: string) =>
      (await searchListings(runtime, { environment: 'SANDBOX', query }))[0]?.score ?? 0;
    expect(await scoreOf('brewery in ouagadougou')).toBeLessThan(await scoreOf('brewery'));
  });

  it('ranks names for a special audience or place behind general ones', async () => {
    const [first, ...others] = await search('mortgage');
    expect(first).toBe('mortgagedesk.com');
    expect(others).toEqual(expect.arrayContaining(['farmersmortgage.com', 'denvermortgage.com']));
    expect((await search('mortgage for farmers'))[0]).toBe('farmersmortgage.com');
    expect((await search('denver mortgage'))[0]).toBe('denvermortgage.com');
  });

  it.each(['xqzzt', 'qwrtp zxcvb mnbvc', 'asdf jkl xqzzt', 'xqzv wkjh', 'ξψζωξψ', '龘靐齉'])(
    'finds nothing for %j',
    async (query) => {
      expect(await search(query)).toEqual([]);
    },
  );

  it.each([
    'what is the capital of france',
    'how do i reset my password',
    'SELECT * FROM users WHERE id = 1',
  ])('finds nothing for %j, which does not ask for a name', async (query) => {
    expect(await search(query)).toEqual([]);
  });
});
