import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  addListing,
  delistListing,
  lockListing,
  markSold,
  relist,
  repriceListing,
} from '../../../shared/market/inventory/change-listings.ts';
import {
  foldMarket,
  listMarket,
  listMarketFrom,
  MARKET_SORTS,
  type MarketFilter,
  type MarketListing,
  type MarketSort,
} from '../../../shared/market/inventory/market-listings.ts';
import { foldTalliesTask } from '../../../workers/scheduled/derived-data.ts';
import { countStatements } from '../../support/inventory.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

const ALL: MarketFilter = {
  tld: null,
  category: null,
  minPriceCents: null,
  maxPriceCents: null,
};
const TLDS = ['com', 'net', 'io'];
/** More listings than any market in these tests has. */
const MAX_PAGES = 100;

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());
beforeEach(async () => {
  runtime.clock.set('2026-11-20T09:30:00.000Z');
  await runtime.db.knex.raw('delete from listings');
});

let names = 0;
/** A name from anywhere in the alphabet, so that additions by name fall on both sides of a walk. */
function freshDomain(seed: number): string {
  names += 1;
  return `${String.fromCharCode(97 + (seed % 26))}name${names}.${TLDS[seed % TLDS.length]}`;
}

const add = (domain: string, more: { category?: string; priceCents?: number } = {}) =>
  addListing(runtime, { environment: 'LIVE', domain, priceCents: 485_000, ...more });

/**
 * Some pages by offset, then on by the row where the last one stopped, to the end. `meanwhile` runs while each
 * of the later pages is being read.
 */
async function walk(
  filter: MarketFilter,
  {
    sort,
    limit,
    offset = 0,
    byOffset = 1,
  }: { sort: MarketSort; limit: number; offset?: number; byOffset?: number },
  meanwhile: (page: number) => Promise<unknown> = async () => {},
): Promise<string[]> {
  const seen: string[] = [];
  let after: MarketListing | undefined;
  for (let page = 0; page < byOffset; page += 1) {
    const from = { sort, limit, offset: offset + page * limit };
    const { listings } = await listMarketFrom(runtime, filter, from);
    seen.push(...listings.map(({ domain }) => domain));
    after = listings.at(-1);
  }
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

type Change = { kind: 'add' | 'sell' | 'delist' | 'relist' | 'reprice'; seed: number };
const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('add', 'sell', 'delist', 'relist', 'reprice'),
  seed: fc.nat(10_000),
});

/** Prices, many of them equal. */
const priceOf = (seed: number) => 1_000 * (1 + (seed % 5));

/**
 * A market whose rows come, go and are repriced by one's orders; which of them stayed throughout, and which
 * were never repriced.
 */
async function givenMarket(seeds: readonly number[]) {
  const rows: { domain: string; id: number }[] = [];
  const stayed = new Set<string>();
  const repriced = new Set<string>();
  for (const seed of seeds) {
    // Many listings share an instant.
    if (seed % 3 === 0) runtime.clock.advance(1);
    const { domain, id } = await add(freshDomain(seed), { priceCents: priceOf(seed) });
    rows.push({ domain, id });
    stayed.add(domain);
  }
  const apply = async ({ kind, seed }: Change) => {
    if (kind === 'add') {
      await add(freshDomain(seed), { priceCents: priceOf(seed) });
      return;
    }
    const row = rows[seed % rows.length];
    if (!row) return;
    const listing = { environment: 'LIVE', domain: row.domain } as const;
    if (kind === 'reprice') {
      repriced.add(row.domain);
      // Refused if it has been sold or delisted by now.
      const priceCents = priceOf(seed + 1 + (seed % 4));
      await repriceListing(runtime, { ...listing, priceCents }).catch(() => {});
      return;
    }
    stayed.delete(row.domain);
    if (kind === 'delist') {
      await delistListing(runtime, listing).catch(() => {});
      return;
    }
    await runtime.db.transact(async (uow) => {
      if (kind !== 'sell') {
        await relist(uow, { id: row.id, saleNumber: 1 });
        return;
      }
      const found = await lockListing(uow, 'SANDBOX', row.domain);
      if (found && found.status !== 'sold') await markSold(uow, found);
    });
  };
  return { stayed, repriced, apply };
}

describe('paging through the market', () => {
  it.each(MARKET_SORTS)(
    'by %s returns each unchanged listing exactly once despite concurrent changes',
    async (sort) => {
      await fc.assert(
        fc
          .asyncProperty(
            fc.array(fc.nat(10_000), { maxLength: 25 }),
            fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 12 }),
            fc.integer({ min: 1, max: 6 }),
            fc.constantFrom<Partial<MarketFilter>>({}, { tld: 'com' }, { minPriceCents: 3_000 }),
            fc.nat(8),
            fc.integer({ min: 1, max: 3 }),
            async (seeds, changes, limit, chosen, offset, byOffset) => {
              const { stayed, repriced, apply } = await givenMarket(seeds);
              const filter = { ...ALL, ...chosen };
              const before = await listMarket(runtime, filter, { sort, after: null, limit: 100 });
              // Repriced listings may move when sorted or filtered by price, so nothing is guaranteed for them.
              const moves = sort.startsWith('price') || filter.minPriceCents !== null;
              const promised = (domain: string) => !(moves && repriced.has(domain));
              const leftOut = new Set(before.slice(0, offset).map(({ domain }) => domain));
              const seen = await walk(filter, { sort, limit, offset, byOffset }, (page) =>
                Promise.all((changes[page] ?? []).map(apply)),
              );
              const due = before.slice(offset).filter(({ domain }) => stayed.has(domain));
              const told = seen.filter(promised);
              expect(new Set(told).size).toBe(told.length);
              expect(due.map(({ domain }) => domain).filter(promised)).toEqual(
                told.filter((domain) => due.some((row) => row.domain === domain)),
              );
              expect(told.filter((domain) => leftOut.has(domain))).toEqual([]);
            },
          )
          .beforeEach(async () => {
            await runtime.db.knex.raw('delete from listings');
          }),
        { numRuns: 40 },
      );
    },
  );

  it('tells apart listing times that differ by less than a millisecond', async () => {
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

  it('continues after a row that was delisted in the meantime', async () => {
    for (const domain of ['a.com', 'b.com', 'c.com']) await add(domain);
    const seen = await walk(ALL, { sort: 'domain', limit: 1 }, async (page) => {
      if (page === 1) await delistListing(runtime, { environment: 'LIVE', domain: 'a.com' });
    });
    expect(seen).toEqual(['a.com', 'b.com', 'c.com']);
  });
});

describe('the market', () => {
  it('contains only listed LIVE domains, not sold, delisted, or sandbox ones', async () => {
    await add('here.com');
    await add('gone.com');
    await delistListing(runtime, { environment: 'LIVE', domain: 'gone.com' });
    const { id } = await add('sold.com');
    await runtime.db.transact((uow) => markSold(uow, { id, environment: 'SANDBOX' }));
    await addListing(runtime, { environment: 'SANDBOX', domain: 'toy.com', priceCents: 100 });

    const { listings, total } = await listMarketFrom(runtime, ALL, {
      sort: 'newest',
      offset: 0,
      limit: 10,
    });
    expect(listings.map(({ domain }) => domain)).toEqual(['here.com']);
    expect(total).toBe(1);
  });

  it('has an exact total for every filter, before and after tallies are folded', async () => {
    const seeds = fc.array(fc.nat(10_000), { maxLength: 12 });
    const changes = fc.array(fc.oneof(change, fc.constant('fold')), { maxLength: 12 });
    await fc.assert(
      fc
        .asyncProperty(seeds, changes, async (given, steps) => {
          const { apply } = await givenMarket(given);
          for (const step of steps) {
            if (step === 'fold') await foldMarket(runtime, 3);
            else await apply(step as Change);
          }
          await runtime.db.knex.raw(
            `update listings set category = 'Food' where id % 3 = 0; delete from listings where id % 7 = 0`,
          );
          for (const filter of [ALL, { ...ALL, tld: 'com' }, { ...ALL, category: 'fOOd' }]) {
            const all = await listMarket(runtime, filter, {
              sort: 'domain',
              after: null,
              limit: 100,
            });
            const page = { sort: 'newest', offset: 0, limit: 1 } as const;
            const { total } = await listMarketFrom(runtime, filter, page);
            expect([filter, total]).toEqual([filter, all.length]);
          }
        })
        .beforeEach(async () => {
          await runtime.db.knex.raw('delete from listings');
        }),
      { numRuns: 40 },
    );
  });

  it('counts a relisted domain again, under its new category', async () => {
    const total = async (category: string | null) =>
      (await listMarketFrom(runtime, { ...ALL, category }, { sort: 'newest', offset: 0, limit: 1 }))
        .total;
    await add('kettle.com', { category: 'Food' });
    await delistListing(runtime, { environment: 'LIVE', domain: 'kettle.com' });
    expect([await total(null), await total('food')]).toEqual([0, 0]);
    await add('kettle.com', { category: 'Tools' });
    expect([await total(null), await total('food'), await total('tools')]).toEqual([1, 0, 1]);
  });

  it('keeps its total exact while tallies are folded concurrently', async () => {
    for (let at = 0; at < 12; at += 1) await add(freshDomain(at));
    const page = { sort: 'newest', offset: 0, limit: 1 } as const;
    const total = async () => (await listMarketFrom(runtime, ALL, page)).total;
    const told = await Promise.all([
      foldMarket(runtime, 3),
      total(),
      foldMarket(runtime, 4),
      total(),
      foldMarket(runtime, 5),
    ]);
    expect([told[1], told[3], await total()]).toEqual([12, 12, 12]);
    const signal = new AbortController().signal;
    await foldTalliesTask.run({ runtime, signal });
    expect(await runtime.db.knex('market_deltas')).toEqual([]);
    expect(await total()).toBe(12);
  });

  it('reads a page in one SQL statement, and a page with its total in two', async () => {
    const page = { sort: 'newest', limit: 10 } as const;
    const ofPage = () => listMarket(runtime, ALL, { ...page, after: null });
    const withTotal = () => listMarketFrom(runtime, ALL, { ...page, offset: 0 });
    expect(await countStatements(runtime, ofPage)).toBe(1);
    expect(await countStatements(runtime, withTotal)).toBe(2);
  });
});
