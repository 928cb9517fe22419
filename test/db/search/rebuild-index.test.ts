import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { markSold, repriceListing } from '../../../shared/market/inventory/change-listings.ts';
import { searchListings } from '../../../shared/market/search/search-listings.ts';
import { givenSearchableListing } from '../../support/inventory.ts';
import { runOps } from '../../support/ops-command.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

const search = (query: string) => searchListings(runtime, { environment: 'SANDBOX', query });
const rebuild = async (...args: string[]) => {
  const all = ['search:rebuild', '--environment', 'SANDBOX', ...args, '--json'];
  const result = await runOps(runtime, all);
  expect(result).toMatchObject({ code: 0, stderr: '' });
  return result.json;
};

describe('the search index', () => {
  it('reflects a price change and a sale in the very next search', async () => {
    const listing = await givenSearchableListing(runtime, { domain: 'amberkettle.com' });
    expect(await search('amber kettle')).toMatchObject([{ priceCents: 485_000 }]);
    await repriceListing(runtime, {
      environment: 'SANDBOX',
      domain: 'amberkettle.com',
      priceCents: 99_900,
    });
    expect(await search('amber kettle')).toMatchObject([{ priceCents: 99_900 }]);
    await runtime.db.transact((uow) => markSold(uow, { id: listing.id, environment: 'SANDBOX' }));
    expect(await search('amber kettle')).toEqual([]);
  });

  it('is rebuilt only where it is missing or outdated, unless --all is given', async () => {
    await givenSearchableListing(runtime, { domain: 'copperlantern.com' });
    await givenSearchableListing(runtime, { domain: 'velvetlantern.com' });
    await givenSearchableListing(runtime, { domain: 'livelantern.com', environment: 'LIVE' });
    expect(await rebuild()).toEqual({ environment: 'SANDBOX', written: 0 });
    await runtime.db.knex.raw(`
      delete from search_documents where label = 'copperlantern';
      update search_documents set version = 0, terms = '{}'
        where label = 'velvetlantern'`);
    expect(await search('lantern')).toEqual([]);
    expect(await rebuild()).toEqual({ environment: 'SANDBOX', written: 2 });
    expect((await search('lantern')).map(({ domain }) => domain).sort()).toEqual([
      'copperlantern.com',
      'velvetlantern.com',
    ]);
    expect(await rebuild('--all')).toEqual({ environment: 'SANDBOX', written: 2 });
  });
});
