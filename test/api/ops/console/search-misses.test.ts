import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { reportSearchMisses } from '../../../../shared/market/search/misses/search-misses.ts';
import { HOUR } from '../../../../shared/platform/clock.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { type ConsoleVisitor, givenVisitor, readable } from '../../../support/console.ts';
import { givenSearchableListing } from '../../../support/inventory.ts';

let app: TestApp;
let ops: ConsoleVisitor;
beforeAll(async () => {
  app = await startTestApp();
  ops = await givenVisitor(app);
  await givenSearchableListing(app.runtime, { domain: 'coffeecorner.com' });
});
afterAll(() => app?.stop());

const visit = async (query = '') => (await ops.visit(`/market-search/nothing-found${query}`)).text;

describe('the page of searches without results', () => {
  it('lists queries from partners and public listings, linked to their explanation', async () => {
    const { client } = await app.partner();
    const search = (q: string, filter: Record<string, string> = {}) =>
      client.get('/v1/domains/search', { query: { q, ...filter } });
    const listings = (query: string) => fetch(`${app.url}/api/market/listings?${query}`);
    await search('xqzvwk');
    await search('xqzvwk');
    await search('coffee');
    await search('jjqqxw', { tld: 'com' });
    await listings('q=wvvxqz%20%3Cb%3E');
    await listings('q=zzxqj&tld=com');
    await ops.visit('/market-search?q=qqjxzv&environment=LIVE');
    await app.runtime.searchMisses.flush();

    const sandbox = await visit('?environment=SANDBOX&days=30');
    expect(sandbox).toContain(
      '<a href="/ops/market-search?q=xqzvwk&amp;environment=SANDBOX">xqzvwk</a>',
    );
    expect(readable(sandbox)).toMatch(/xqzvwk 2 1 \w{3} \d+, \d{4}/);
    expect(sandbox).not.toMatch(/>coffee<|jjqqxw/);
    const live = await visit();
    expect(live).toContain('>wvvxqz &lt;b&gt;</a>');
    expect(live).not.toMatch(/zzxqj|qqjxzv|xqzvwk/);
    expect(readable(live)).toContain('after midnight UTC');
  });

  it('shows how frequent queries were understood, once the day is over', async () => {
    const { client } = await app.partner();
    await client.get('/v1/domains/search', { query: { q: 'cofee corner .io under $100' } });
    await app.runtime.searchMisses.flush();
    app.runtime.clock.advance(26 * HOUR);
    await reportSearchMisses(app.runtime, 5);
    // The previous session has expired by now.
    ops = await givenVisitor(app);
    const page = readable(await visit('?environment=SANDBOX&days=7'));
    expect(page).toContain('coffee corner, .io, under $100');
    const file = await visit('?environment=SANDBOX&days=7&format=csv');
    expect(file).toContain('query,searches,days,last_day,understood,kinds,nearest');
    expect(file).toContain('"coffee corner, .io, under $100"');
  });

  it('stores nothing about who searched', async () => {
    const columns = await app.runtime.db
      .knex('information_schema.columns')
      .where('table_name', 'like', 'search_miss%')
      .distinct('column_name')
      .orderBy('column_name');
    expect(columns.map(({ column_name: name }) => name)).toEqual([
      'day',
      'environment',
      'queries',
      'query',
      'reading',
      'searches',
    ]);
  });
});
