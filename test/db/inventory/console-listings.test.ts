import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listListings } from '../../../shared/market/inventory/console-listings.ts';
import { readAllPages } from '../../../shared/platform/page.ts';
import { givenListing } from '../../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
const OLD = new Date('2026-01-15T00:00:00Z');

beforeAll(async () => {
  runtime = await createTestRuntime();
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
    await givenListing(runtime, { domain: `${name}.com` });
  }
  const old = runtime.db.knex('listings').whereIn('domain', ['b.com', 'e.com', 'f.com', 'g.com']);
  await old.update({ listed_at: OLD });
  await runtime.db.knex('listings').where({ domain: 'f.com' }).update({ status: 'delisted' });
});
afterAll(() => runtime?.stop());

describe('console listings filtered by listing date', () => {
  /** The names on each page, with at most `lookThrough` names scanned per page. */
  async function pagesOf(
    sort: 'a_to_z' | 'z_to_a',
    filter: { status?: 'listed' | 'delisted'; beginning?: string } = {},
    lookThrough = 3,
  ): Promise<string[][]> {
    const pages: string[][] = [];
    const { status = null, beginning = null } = filter;
    const january = { from: new Date('2026-01-01'), to: new Date('2026-02-01') };
    const read = (after: string | null) =>
      listListings(
        runtime,
        { environment: 'SANDBOX', status, beginning },
        { ...january, sort, after, limit: 2 },
        lookThrough,
      );
    for await (const rows of readAllPages(read)) pages.push(rows.map(({ domain }) => domain));
    return pages;
  }

  it('fill every page when few listings match', async () => {
    expect(await pagesOf('a_to_z', {}, 4)).toEqual([
      ['b.com', 'e.com'],
      ['f.com', 'g.com'],
    ]);
    expect(await pagesOf('z_to_a', { status: 'listed' }, 4)).toEqual([
      ['g.com', 'e.com'],
      ['b.com'],
    ]);
  });

  it('scan a bounded number of names per page without skipping a match', async () => {
    expect(await pagesOf('a_to_z')).toEqual([['b.com'], ['e.com', 'f.com'], ['g.com']]);
    expect(await pagesOf('z_to_a')).toEqual([['g.com', 'f.com'], ['e.com'], ['b.com']]);
    expect(await pagesOf('a_to_z', { status: 'delisted' })).toEqual([['f.com']]);
    expect(await pagesOf('a_to_z', { beginning: 'g' })).toEqual([['g.com']]);
  });
});
