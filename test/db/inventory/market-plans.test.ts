import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  listMarket,
  listMarketFrom,
  MARKET_SORTS,
  type MarketFilter,
  type MarketSort,
} from '../../../shared/market/inventory/market-listings.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { planOf, type Statement, statementsOf } from '../../support/statements.ts';

const ALL: MarketFilter = { tld: null, category: null, minPriceCents: null, maxPriceCents: null };
const FILTERS: Record<string, MarketFilter> = {
  'all of it': ALL,
  'one suffix': { ...ALL, tld: 'com' },
  'one category': { ...ALL, category: 'Food' },
};
const CASES = MARKET_SORTS.flatMap((sort) =>
  Object.entries(FILTERS).map(([name, filter]) => [sort, name, filter] as const),
);

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
  // Enough rows to matter for the planner, spread so that no filter is empty.
  await runtime.db.knex.raw(
    `insert into listings (environment, domain, domain_unicode, sld, tld, price_cents, currency,
       category, listed_at, updated_at)
     select 'LIVE', d, d, 'name' || n, tld, 1000 + n % 97, 'USD', (array['food', 'tools'])[1 + n % 2],
       now() - n * interval '1 second', now()
     from (select n, t.tld, 'name' || n || '.' || t.tld as d
           from generate_series(1, 4000) n, lateral (select (array['com', 'io'])[1 + n % 2] as tld) t) l`,
  );
  await runtime.db.knex.raw('analyze listings');
});
afterAll(() => runtime.stop());

/** The first statement that `work` sends. */
async function statementOf(work: () => Promise<unknown>): Promise<Statement> {
  const [first] = await statementsOf(runtime, work);
  if (!first) throw new Error('no statement was sent');
  return first;
}

/** The plan when sorting is expensive, as in a large market. */
const planOfLarge = (statement: Statement) =>
  planOf(runtime, statement, 'set local enable_sort = off; set local enable_bitmapscan = off');

describe('a page of the market', () => {
  it.each(CASES)(
    'by %s, filtered by %s, is read in index order without a sort',
    async (sort, _name, filter) => {
      const page = { sort: sort as MarketSort, limit: 25 };
      const rows = await listMarket(runtime, filter, { ...page, after: null });
      const after = rows.at(-1);
      if (!after) throw new Error('the market is empty');
      const first = await planOfLarge(
        await statementOf(() => listMarketFrom(runtime, filter, { ...page, offset: 0 })),
      );
      const later = await planOfLarge(
        await statementOf(() => listMarket(runtime, filter, { ...page, after })),
      );
      for (const plan of [first, later]) {
        expect(plan).toMatch(/Index Scan (Backward )?using listings_/);
        expect(plan).not.toMatch(/Sort|Seq Scan/);
      }
      // The scan starts at the row itself instead of reading up to it.
      expect(later).toMatch(/Index Cond: .*(ROW\(|domain >)/);
    },
  );
});
