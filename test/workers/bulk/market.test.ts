import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BulkAction } from '../../../shared/domains/bulk/bulk-operations.ts';
import { addListing } from '../../../shared/market/inventory/change-listings.ts';
import { addListings } from '../../../shared/market/inventory/import-listings.ts';
import { Money } from '../../../shared/platform/money.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import {
  finished,
  givenBulkJob,
  givenOwnerOf,
  itemsNow,
  newNames,
  ownedNow,
  registrarEffects,
} from '../../support/bulk.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { runIn } from '../../support/transaction.ts';

describe('a bulk job on the marketplace', () => {
  let runtime: TestRuntime;
  let fleet: WorkerProcess;
  beforeAll(async () => {
    runtime = await createTestRuntime({ bulkChunkSize: 4 });
    fleet = startWorkers(runtime, { queues: ['bulk-domains'] });
  });
  afterAll(async () => {
    await fleet.stop();
    await runtime.stop();
  });

  const listingsOf = (domains: readonly string[]) =>
    runtime.db
      .knex('listings')
      .where({ environment: 'LIVE' })
      .whereIn('domain', domains)
      .orderBy('domain')
      .select('domain', 'status', 'price_cents', 'floor_price_cents', 'currency', 'description');

  const repriceInEuro = (domain: string) =>
    addListings(runtime, {
      environment: 'LIVE',
      listings: [{ domain, priceCents: 90_000, currency: 'EUR' }],
    });

  it('lists, reprices and unlists domains', async () => {
    const owner = await givenOwnerOf(runtime, 6);
    const run = async (action: BulkAction) =>
      finished(runtime, await givenBulkJob(runtime, owner, action));
    const every = (terms: object) => owner.domains.map(() => expect.objectContaining(terms));
    const terms = { price_cents: 500_000, floor_price_cents: 400_000 };
    expect(await run({ op: 'list', params: terms })).toMatchObject({ status: 'completed' });
    expect(await listingsOf(owner.domains)).toEqual(every({ status: 'listed', ...terms }));
    await run({ op: 'price', params: { price_cents: 300_000 } });
    const lower = { price_cents: 300_000, floor_price_cents: 300_000 };
    expect(await listingsOf(owner.domains)).toEqual(every({ status: 'listed', ...lower }));
    expect((await ownedNow(runtime, owner))[0]?.listing).toMatchObject({
      price: new Money(300_000, 'USD'),
    });
    await run({ op: 'unlist', params: {} });
    expect(await listingsOf(owner.domains)).toEqual(every({ status: 'delisted' }));
    const late = await givenBulkJob(runtime, owner, { op: 'price', params: { price_cents: 1 } });
    expect(await finished(runtime, late)).toMatchObject({ failed: 6 });
    expect(await itemsNow(runtime, late)).toEqual(every({ code: 'conflict' }));
    expect(await registrarEffects(runtime)).toEqual([]);
  });

  it('rejects names that cannot be sold, even in a dry run', async () => {
    const [stem = ''] = newNames(1);
    const domains = [stem, stem.replace('.com', '.gov'), stem.replace('.com', '.gov.uk')];
    const owner = await givenOwnerOf(runtime, domains);
    const list: BulkAction = { op: 'list', params: { price_cents: 50_000 } };
    for (const dryRun of [true, false]) {
      const job = await givenBulkJob(runtime, owner, list, { dryRun });
      await finished(runtime, job);
      const items = await itemsNow(runtime, job);
      expect(items.map(({ code }) => code)).toEqual([null, 'validation_error', 'validation_error']);
      expect(items[1]?.message).toContain('It must not end in .gov: names there');
    }
    expect((await listingsOf(domains)).map(({ domain }) => domain)).toEqual([stem]);
  });

  it('lists in the requested currency, USD by default, and reports it', async () => {
    const owner = await givenOwnerOf(runtime, 2);
    const [first = '', second = ''] = owner.domains;
    const inEuro = { environment: 'LIVE', priceCents: 90_000, currency: 'EUR' } as const;
    await addListing(runtime, { ...inEuro, domain: first });
    const run = async (action: BulkAction) => {
      const job = await givenBulkJob(runtime, owner, action);
      await finished(runtime, job);
      return (await itemsNow(runtime, job)).map(({ message }) => message);
    };
    const list = (currency?: string): BulkAction => ({
      op: 'list',
      params: { price_cents: 50_000, ...(currency && { currency }) },
    });
    expect(await run(list())).toEqual(Array(2).fill('For sale at $500.00 USD.'));
    expect(await listingsOf(owner.domains)).toMatchObject([
      { currency: 'USD' },
      { currency: 'USD' },
    ]);
    expect(await run(list('JPY'))).toEqual(Array(2).fill('For sale at ¥50,000 JPY.'));
    expect(await listingsOf(owner.domains)).toMatchObject([
      { currency: 'JPY' },
      { currency: 'JPY' },
    ]);

    await repriceInEuro(second);
    const reprice = (more: object): BulkAction => ({
      op: 'price',
      params: { price_cents: 70_000, ...more },
    });
    const said = new Map([
      [first, 'For sale at ¥70,000 JPY.'],
      [second, 'For sale at €700.00 EUR.'],
    ]);
    expect(new Set(await run(reprice({})))).toEqual(new Set(said.values()));
    expect(new Set(await run(reprice({ currency: 'EUR' })))).toEqual(
      new Set([
        'It is listed in JPY. To change its currency, delist it and list it again.',
        said.get(second),
      ]),
    );
  });

  it('keeps the description of a domain that is listed again', async () => {
    const owner = await givenOwnerOf(runtime, 1);
    const [domain = ''] = owner.domains;
    const description = 'For a shop.';
    await addListing(runtime, { environment: 'LIVE', domain, priceCents: 100, description });
    const params = { price_cents: 900 };
    await finished(runtime, await givenBulkJob(runtime, owner, { op: 'list', params }));
    expect(await listingsOf([domain])).toMatchObject([{ price_cents: 900, description }]);
  });

  it('does not list domains that its owner does not own', async () => {
    const [owner, other] = [await givenOwnerOf(runtime, 1), await givenOwnerOf(runtime, 1)];
    const params = { price_cents: 900 };
    const job = await givenBulkJob(runtime, owner, { op: 'list', params }, other);
    expect(await finished(runtime, job)).toMatchObject({ failed: 1 });
    expect(await listingsOf(other.domains)).toEqual([]);
  });

  it('neither waits for nor locks listings of other owners', async () => {
    const [owner, other] = [await givenOwnerOf(runtime, 1), await givenOwnerOf(runtime, 1)];
    const [domain = ''] = other.domains;
    await addListing(runtime, { environment: 'LIVE', domain, priceCents: 100 });
    await runtime.db.transact(async (uow) => {
      const { knex } = runtime.db;
      await runIn(uow.sql, knex('listings').where({ environment: 'LIVE', domain }).forUpdate());
      const domains = [...owner.domains, domain];
      const params = { add: ['mine'] };
      const job = await givenBulkJob(runtime, owner, { op: 'tags', params }, { domains });
      expect(await finished(runtime, job)).toMatchObject({ succeeded: 1, failed: 1 });
    });
  });

  it('normalizes tags', async () => {
    const owner = await givenOwnerOf(runtime, 5);
    const run = async (add: string[], remove: string[]) =>
      finished(
        runtime,
        await givenBulkJob(runtime, owner, { op: 'tags', params: { add, remove } }),
      );
    await run(['Shop ', 'travel', 'SHOP'], []);
    await run(['brand'], ['TRAVEL', 'none']);
    for (const { tags } of await ownedNow(runtime, owner)) expect(tags).toEqual(['brand', 'shop']);
    const many = Array.from({ length: 29 }, (_, at) => `tag ${at}`);
    expect(await run(many, [])).toMatchObject({ failed: 5 });
  });
});
