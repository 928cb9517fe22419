import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeInventory, seedInventory } from '../../../db/seeds/inventory.ts';
import { markSold } from '../../../shared/market/inventory/change-listings.ts';
import { findListing } from '../../../shared/market/inventory/find-listing.ts';
import { RESERVED_LABELS } from '../../../shared/market/inventory/sandbox-names.ts';
import { delistDemoInventory } from '../../../shared/operations/demo/delist-demo-inventory.ts';
import { MINUTE } from '../../../shared/platform/clock.ts';
import { Money } from '../../../shared/platform/money.ts';
import { givenListing } from '../../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

describe('the demo inventory', () => {
  it('is the same on every run and shares no name between environments', () => {
    const inventory = makeInventory();
    expect(makeInventory()).toEqual(inventory);
    const sandbox = new Set(inventory.SANDBOX.map(({ domain }) => domain));
    const live = new Set(inventory.LIVE.map(({ domain }) => domain));
    expect(sandbox.size).toBe(inventory.SANDBOX.length);
    expect(live.size).toBe(inventory.LIVE.length);
    expect([...live].filter((domain) => sandbox.has(domain))).toEqual([]);
  });

  it('holds at least 5,000 names in each environment and is written only once', async () => {
    await seedInventory(runtime);
    const count = async () => {
      const { rows } = await runtime.db.knex.raw(
        `select environment, count(*)::int as listings, max(price_cents) as dearest,
           (select count(*)::int from search_documents d where d.environment = l.environment) as findable
         from listings l group by environment order by environment`,
      );
      return rows;
    };
    const counts = await count();
    for (const row of counts) {
      expect(row.listings).toBeGreaterThanOrEqual(5_000);
      expect(row.findable).toBe(row.listings);
      expect(row.dearest).toBeLessThan(10_000_000);
    }
    const sandbox = { environment: 'SANDBOX', domain: 'neonwallet.com' } as const;
    const listing = await findListing(runtime, sandbox);
    await runtime.db.transact((uow) => markSold(uow, { ...sandbox, id: listing?.id ?? 0 }));
    await seedInventory(runtime);
    expect((await count()).map((row: { listings: number }) => row.listings)).toEqual(
      counts.map((row: { listings: number }) => row.listings),
    );
    expect(await findListing(runtime, sandbox)).toMatchObject({ status: 'sold' });
  });

  it('contains the names that the documentation relies on', async () => {
    const find = (domain: string) => findListing(runtime, { environment: 'SANDBOX', domain });
    expect(await find('neonwallet.com')).toMatchObject({
      price: new Money(485_000, 'USD'),
      floorPrice: new Money(420_000, 'USD'),
      offersAccepted: true,
    });
    expect(await find('brightharbor.com')).toMatchObject({ status: 'listed' });
    expect(await find('tidycart.io')).toMatchObject({ status: 'listed' });
    for (const prefix of Object.keys(RESERVED_LABELS)) {
      expect(await find(`${prefix}alpha.com`)).toMatchObject({ status: 'listed' });
      const reserved = makeInventory().SANDBOX.filter(({ domain }) => domain.startsWith(prefix));
      expect(reserved.length).toBeGreaterThanOrEqual(10);
    }
  });

  it('is delisted from the LIVE market before production, and nothing else is', async () => {
    const { clock, db } = runtime;
    clock.advance(MINUTE);
    const own = await givenListing(runtime, { environment: 'LIVE' });
    const listed = async () => {
      const rows = await db.knex('listings').where({ status: 'listed' }).select('environment');
      const count = (name: string) => rows.filter(({ environment }) => environment === name).length;
      return { LIVE: count('LIVE'), SANDBOX: count('SANDBOX') };
    };
    const before = await listed();
    expect(await delistDemoInventory(runtime, 'test')).toBe(before.LIVE - 1);
    expect(await listed()).toEqual({ LIVE: 1, SANDBOX: before.SANDBOX });
    expect(await findListing(runtime, { environment: 'LIVE', domain: own.domain })).toMatchObject({
      status: 'listed',
    });
    expect(await db.knex('search_documents').where({ environment: 'LIVE' })).toEqual([]);
    expect(await delistDemoInventory(runtime, 'test')).toBe(0);
  });
});
