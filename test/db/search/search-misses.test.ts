import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createSearchMisses,
  readSearchMisses,
  reportSearchMisses,
  type SearchMisses,
  toKeptQuery,
} from '../../../shared/market/search/misses/search-misses.ts';
import { deleteExpired } from '../../../shared/operations/retention/delete-expired.ts';
import type { Environment } from '../../../shared/platform/config/config.ts';
import { givenSearchableListing } from '../../support/inventory.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
let misses: SearchMisses;
beforeAll(async () => {
  runtime = await createTestRuntime();
  misses = createSearchMisses(runtime);
});
afterEach(async () => {
  await runtime.db.knex('search_misses').delete();
  await runtime.db.knex('search_miss_days').delete();
});
afterAll(async () => {
  await misses?.close();
  await runtime?.stop();
});

const at = (time: string) => runtime.clock.set(`${time}.000Z`);
const read = (days = 7, environment: Environment = 'LIVE') =>
  readSearchMisses(runtime, { environment, days, limit: 100 });
async function count(query: string, times = 1, environment: Environment = 'LIVE'): Promise<void> {
  for (let time = 0; time < times; time += 1) misses.count(environment, query);
  await misses.flush();
}

describe('searches without results', () => {
  it('are counted by query, day, and environment across processes', async () => {
    at('2026-11-20T09:00:00');
    const other = createSearchMisses(runtime);
    other.count('LIVE', 'vegan  Bakery');
    misses.count('LIVE', ' Vegan bakery ');
    misses.count('LIVE', 'drone school');
    misses.count('SANDBOX', 'vegan bakery');
    await Promise.all([misses.flush(), other.close()]);
    at('2026-11-21T09:00:00');
    await count('vegan bakery', 2);

    expect(await read()).toEqual({
      frequent: [
        { query: 'vegan bakery', searches: 4, days: 2, lastDay: '2026-11-21', reading: null },
        { query: 'drone school', searches: 1, days: 1, lastDay: '2026-11-20', reading: null },
      ],
      days: [
        { day: '2026-11-21', searches: 2, queries: null },
        { day: '2026-11-20', searches: 3, queries: null },
      ],
    });
    expect((await read(1)).frequent).toEqual([expect.objectContaining({ searches: 2 })]);
    expect((await read(7, 'SANDBOX')).frequent).toHaveLength(1);
    at('2026-12-01T00:00:00');
    expect((await read(7)).frequent).toEqual([]);
  });

  it('are counted without their text when it is long or may be personal data', async () => {
    expect(toKeptQuery('x'.repeat(100))).toHaveLength(100);
    for (const query of [
      'x'.repeat(101),
      'name for ada@example.com',
      'call +44 (20) 7946-0958',
      ' ',
      'a\u0000b',
    ]) {
      expect([query, toKeptQuery(query)]).toEqual([query, null]);
    }
    expect(toKeptQuery('Four letter .COM under 150000')).toBe('four letter .com under 150000');
    at('2026-11-20T09:00:00');
    await count('ada@example.com', 3);
    expect(await read()).toEqual({
      frequent: [],
      days: [{ day: '2026-11-20', searches: 3, queries: null }],
    });
  });

  it('store a bounded number of queries per day but keep counting known ones', async () => {
    at('2026-11-20T09:00:00');
    await count('known');
    const { knex } = runtime.db;
    await knex.raw(`insert into search_misses (environment, day, query, searches)
      select 'LIVE', '2026-11-20', 'q' || n, 1 from generate_series(1, 4998) n`);
    misses.count('LIVE', 'fits');
    misses.count('LIVE', 'too many');
    misses.count('LIVE', 'known');
    await misses.flush();
    expect(await knex('search_misses').count()).toEqual([{ count: 5000 }]);
    expect((await read()).frequent[0]).toMatchObject({ query: 'known', searches: 2 });
    expect((await read()).days).toEqual([{ day: '2026-11-20', searches: 4, queries: null }]);
  });

  it('are buffered in bounded memory', async () => {
    at('2026-11-20T09:00:00');
    for (let n = 0; n < 3_000; n += 1) misses.count('LIVE', `made up ${n}`);
    await misses.flush();
    expect((await read()).days).toMatchObject([{ searches: 3_000 }]);
    expect(await runtime.db.knex('search_misses').count()).toEqual([{ count: 1000 }]);
  });

  it('never fail a search when they cannot be written', async () => {
    const away = createSearchMisses({
      ...runtime,
      db: { ...runtime.db, transact: () => Promise.reject(new Error('away')) },
    });
    away.count('LIVE', 'lost');
    await away.close();
    away.count('LIVE', 'after the end');
    await away.flush();
    expect((await read()).days).toEqual([]);
  });

  it('get a daily report that keeps the most frequent queries', async () => {
    at('2026-11-20T23:59:00');
    await runtime.db.knex.raw(`insert into search_misses (environment, day, query, searches)
      select 'LIVE', '2026-11-20', 'rare ' || n, 1 from generate_series(1, 1500) n`);
    await count('often', 3);
    at('2026-11-21T00:30:00');
    expect(await reportSearchMisses(runtime, 20)).toBe(0);
    at('2026-11-21T01:30:00');
    expect(await reportSearchMisses(runtime, 20)).toBe(1);
    expect(await reportSearchMisses(runtime, 20)).toBe(0);
    expect((await read()).days).toEqual([{ day: '2026-11-20', searches: 3, queries: 1_501 }]);
    expect(await runtime.db.knex('search_misses').count()).toEqual([{ count: 1000 }]);
    expect((await read()).frequent[0]).toMatchObject({ query: 'often' });
  });

  it('show in the report how frequent ones were understood and their nearest names', async () => {
    await givenSearchableListing(runtime, { domain: 'brightbakery.com', environment: 'LIVE' });
    await givenSearchableListing(runtime, { domain: 'bakeryhouse.net', environment: 'LIVE' });
    at('2026-11-20T09:00:00');
    await count('bakrey .com, not house', 3);
    await count('xqzvwk', 2);
    await runtime.db.knex.raw(`insert into search_misses (environment, day, query, searches)
      select 'LIVE', '2026-11-20', 'rare ' || n, 1 from generate_series(1, 250) n`);
    expect((await read()).frequent[0]).toMatchObject({ reading: null });
    at('2026-11-21T01:30:00');
    await reportSearchMisses(runtime, 1);
    const [first, second] = (await read()).frequent;
    expect(first).toMatchObject({
      query: 'bakrey .com, not house',
      reading: {
        topic: 'bakrey',
        limits: { tlds: ['com'], excluded: ['house'] },
        corrected: 'bakery',
        nearest: [{ domain: 'brightbakery.com', score: expect.any(Number) }],
      },
    });
    expect(second?.reading).toEqual({
      topic: 'xqzvwk',
      limits: {},
      corrected: null,
      kinds: [],
      nearest: [],
    });
    const unread = await runtime.db.knex('search_misses').whereNull('reading').count();
    expect(unread).toEqual([{ count: 52 }]);
  });

  it('are deleted after the retention period', async () => {
    at('2026-08-01T09:00:00');
    await count('old');
    at('2026-11-20T09:00:00');
    await count('new');
    expect(await deleteExpired(runtime)).toEqual({ search_miss_days: 1, search_misses: 1 });
    expect(await read(365)).toMatchObject({ frequent: [{ query: 'new' }], days: [{}] });
  });
});
