import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addListing } from '../../../shared/inventory/add-listing.ts';
import { delistListing } from '../../../shared/inventory/delist-listing.ts';
import {
  listMarket,
  listMarketFrom,
  MARKET_SORTS,
  type MarketFilter,
  type MarketListing,
  type MarketSort,
} from '../../../shared/inventory/list-market.ts';
import { markSold, relist } from '../../../shared/inventory/listing-sale.ts';
import { countStatements } from '../../support/inventory.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

const ALL: MarketFilter = { tld: null, category: null };
const TLDS = ['com', 'net', 'io'];
/** More than any market of these tests has. */
const MAX_PAGES = 100;

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());
beforeEach(async () => {
  runtime.clock.set('2026-11-20T09:30:00.000Z');
  await runtime.db.knex.raw('truncate listings cascade');
});

let names = 0;
/** A name from anywhere in the alphabet, so that additions by name fall on both sides of a walk. */
function freshDomain(seed: number): string {
  names += 1;
  return `${String.fromCharCode(97 + (seed % 26))}name${names}.${TLDS[seed % TLDS.length]}`;
}

const add = (domain: string, more: { category?: string } = {}) =>
  addListing(runtime, { environment: 'LIVE', domain, priceCents: 485_000, ...more });

/**
 * The first page from an offset, then on by the row where the last one stopped, to the end. `meanwhile` runs
 * while each of the later pages is being read.
 */
async function walk(
  filter: MarketFilter,
  { sort, limit, offset = 0 }: { sort: MarketSort; limit: number; offset?: number },
  meanwhile: (page: number) => Promise<unknown> = async () => {},
): Promise<string[]> {
  const { listings } = await listMarketFrom(runtime, filter, { sort, limit, offset });
  const seen = listings.map(({ domain }) => domain);
  let after = listings.at(-1);
  for (let page = 1; after; page += 1) {
    if (page > MAX_PAGES) throw new Error('the walk does not end');
    const [rows]: [MarketListing[], unknown] = await Promise.all([
      listMarket(runtime, filter, { sort, after, limit }),
      meanwhile(page),
    ]);
    seen.push(...rows.map(({ domain }) => domain));
    after = rows.at(-1);
  }
  return seen;
}

type Change = { kind: 'add' | 'sell' | 'delist' | 'relist'; seed: number };
const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('add', 'sell', 'delist', 'relist'),
  seed: fc.nat(10_000),
});

/** A market whose rows come and go by one's orders, and which of them stayed throughout. */
async function givenMarket(seeds: readonly number[]) {
  const rows: { domain: string; id: number }[] = [];
  const stayed = new Set<string>();
  for (const seed of seeds) {
    // Many share an instant.
    if (seed % 3 === 0) runtime.clock.advance(1);
    const { domain, id } = await add(freshDomain(seed));
    rows.push({ domain, id });
    stayed.add(domain);
  }
  const apply = async ({ kind, seed }: Change) => {
    if (kind === 'add') return void (await add(freshDomain(seed)));
    const row = rows[seed % rows.length];
    if (!row) return;
    stayed.delete(row.domain);
    if (kind === 'delist') {
      await delistListing(runtime, { environment: 'LIVE', domain: row.domain }).catch(() => {});
      return;
    }
    const move = kind === 'sell' ? markSold : relist;
    await runtime.db.transact((tx) => move(tx, row.id, runtime.clock.now()));
  };
  return { stayed, apply };
}

describe('a walk over the market', () => {
  it.each(MARKET_SORTS)(
    'by %s sees what stayed exactly once, and nothing twice, whatever is added and sold meanwhile',
    async (sort) => {
      await fc.assert(
        fc
          .asyncProperty(
            fc.array(fc.nat(10_000), { maxLength: 25 }),
            fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 12 }),
            fc.integer({ min: 1, max: 6 }),
            fc.constantFrom(null, 'com'),
            fc.nat(8),
            async (seeds, changes, limit, tld, offset) => {
              const { stayed, apply } = await givenMarket(seeds);
              const filter = { tld, category: null };
              const before = await listMarket(runtime, filter, { sort, after: null, limit: 100 });
              const leftOut = new Set(before.slice(0, offset).map(({ domain }) => domain));
              const seen = await walk(filter, { sort, limit, offset }, (page) =>
                Promise.all((changes[page] ?? []).map(apply)),
              );
              const due = [...stayed].filter(
                (domain) => !leftOut.has(domain) && (tld === null || domain.endsWith(`.${tld}`)),
              );
              expect(new Set(seen).size).toBe(seen.length);
              expect(due.filter((domain) => !seen.includes(domain))).toEqual([]);
              expect(seen.filter((domain) => leftOut.has(domain))).toEqual([]);
            },
          )
          .beforeEach(async () => {
            await runtime.db.knex.raw('truncate listings cascade');
          }),
        { numRuns: 40 },
      );
    },
  );

  it('keeps apart what differs only below a millisecond', async () => {
    const domains = ['one.com', 'two.com', 'three.com', 'four.com'];
    for (const [at, domain] of domains.entries()) {
      const { id } = await add(domain);
      await runtime.db.knex.raw(
        `update listings set listed_at = timestamptz '2026-11-20 09:30:00.000001Z'
           + ? * interval '1 microsecond' where id = ?`,
        [at, id],
      );
    }
    expect(await walk(ALL, { sort: 'newest', limit: 1 })).toEqual(domains.toReversed());
  });

  it('goes on after a row that was sold since', async () => {
    for (const domain of ['a.com', 'b.com', 'c.com']) await add(domain);
    const seen = await walk(ALL, { sort: 'domain', limit: 1 }, async (page) => {
      if (page === 1) await delistListing(runtime, { environment: 'LIVE', domain: 'a.com' });
    });
    expect(seen).toEqual(['a.com', 'b.com', 'c.com']);
  });
});

describe('the market', () => {
  it('has what is listed in LIVE, and neither what is sold, delisted nor of the sandbox', async () => {
    await add('here.com');
    await add('gone.com');
    await delistListing(runtime, { environment: 'LIVE', domain: 'gone.com' });
    const { id } = await add('sold.com');
    await runtime.db.transact((tx) => markSold(tx, id, runtime.clock.now()));
    await addListing(runtime, { environment: 'SANDBOX', domain: 'toy.com', priceCents: 100 });

    const { listings, total } = await listMarketFrom(runtime, ALL, {
      sort: 'newest',
      offset: 0,
      limit: 10,
    });
    expect(listings.map(({ domain }) => domain)).toEqual(['here.com']);
    expect(total).toBe(1);
  });

  it('reads a page in one statement, and a page with its total in two', async () => {
    const page = { sort: 'newest', limit: 10 } as const;
    const ofPage = () => listMarket(runtime, ALL, { ...page, after: null });
    const withTotal = () => listMarketFrom(runtime, ALL, { ...page, offset: 0 });
    expect(await countStatements(runtime, ofPage)).toBe(1);
    expect(await countStatements(runtime, withTotal)).toBe(2);
  });
});
