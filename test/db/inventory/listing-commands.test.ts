import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addListing,
  delistListing,
  lockListing,
  markSold,
  relist,
  repriceListing,
  setPrice,
} from '../../../shared/market/inventory/change-listings.ts';
import { findListing } from '../../../shared/market/inventory/find-listing.ts';
import { addListings } from '../../../shared/market/inventory/import-listings.ts';
import { searchListings } from '../../../shared/market/search/search-listings.ts';
import { Money } from '../../../shared/platform/money.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

const environment = 'SANDBOX' as const;
const find = (domain: string) => findListing(runtime, { environment, domain });
const add = (domain: string, priceCents = 10_000) =>
  addListing(runtime, { environment, domain, priceCents });
const isFound = async (domain: string) =>
  (await searchListings(runtime, { environment, query: domain })).some(
    (result) => result.domain === domain,
  );

describe('listing a domain', () => {
  it('normalizes the name and adds it to search', async () => {
    const listing = await addListing(runtime, {
      environment,
      domain: ' MarbleLantern.COM. ',
      priceCents: 250_000,
      floorPriceCents: 200_000,
      offersAccepted: true,
      category: 'Home',
      description: 'Light in stone.',
      keywords: ['lamp', 'lamp', ' light '],
    });
    expect(listing).toMatchObject({
      domain: 'marblelantern.com',
      status: 'listed',
      keywords: ['lamp', 'light'],
    });
    expect(await find('marblelantern.com')).toEqual({
      ...listing,
      heldBy: null,
      wasOffered: true,
    });
    expect(await isFound('marblelantern.com')).toBe(true);
  });

  it('refuses a domain that is already listed or sold', async () => {
    const listing = await add('twicelisted.com');
    await expect(add('TWICELISTED.com')).rejects.toMatchObject({
      code: 'conflict',
      details: { reason: 'already_exists' },
    });
    await runtime.db.transact((uow) => markSold(uow, { id: listing.id, environment: 'SANDBOX' }));
    await expect(add('twicelisted.com')).rejects.toMatchObject({
      details: { reason: 'domain_sold' },
    });
  });

  it('refuses a domain that nobody may sell', async () => {
    for (const domain of ['gov.gov', 'ARMY.mil', 'college.ac.uk', 'school.edu.au', 'who.int']) {
      const refused = {
        code: 'validation_error',
        details: [{ path: '/domain', message: expect.stringContaining('are not for sale') }],
      };
      await expect(add(domain)).rejects.toMatchObject(refused);
      const listings = [{ domain, priceCents: 1_000 }];
      await expect(addListings(runtime, { environment, listings })).rejects.toMatchObject(refused);
    }
    await expect(
      addListing(runtime, { environment: 'LIVE', domain: 'shop.example', priceCents: 1_000 }),
    ).rejects.toMatchObject({
      details: [{ message: 'must not end in .example, which is for tests' }],
    });
    for (const domain of ['sandbox-shop.example', 'inlet.ac', 'government.com']) {
      expect(await add(domain)).toMatchObject({ status: 'listed' });
    }
  });

  it('allows the same name in the other environment', async () => {
    await add('bothworlds.com', 1_000);
    await addListing(runtime, { environment: 'LIVE', domain: 'bothworlds.com', priceCents: 2_000 });
    expect(await find('bothworlds.com')).toMatchObject({ price: new Money(1_000, 'USD') });
    expect(
      await findListing(runtime, { environment: 'LIVE', domain: 'bothworlds.com' }),
    ).toMatchObject({ price: new Money(2_000, 'USD') });
  });

  it('reports all validation errors at once', async () => {
    const adding = addListing(runtime, {
      environment,
      domain: 'www.example.com',
      priceCents: 0.5,
      floorPriceCents: -1,
      currency: 'usd',
      description: 'a\u0000b',
      category: 'x'.repeat(101),
      keywords: ['ok', '\ud800'],
    });
    await expect(adding).rejects.toMatchObject({
      code: 'validation_error',
      details: [
        { path: '/domain' },
        { path: '/category' },
        { path: '/description' },
        { path: '/keywords/1' },
        { path: '/price_cents' },
        { path: '/floor_price_cents' },
        { path: '/currency' },
      ],
    });
  });

  it('succeeds for only one of two concurrent requests', async () => {
    const results = await Promise.allSettled([add('raced.com'), add('raced.com')]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await find('raced.com')).toMatchObject({ status: 'listed' });
  });
});

describe('repricing a listing', () => {
  it('changes the price and lowers a floor that would exceed it', async () => {
    await addListing(runtime, {
      environment,
      domain: 'repriced.com',
      priceCents: 10_000,
      floorPriceCents: 8_000,
    });
    await repriceListing(runtime, { environment, domain: 'Repriced.com', priceCents: 12_000 });
    expect(await find('repriced.com')).toMatchObject({
      price: new Money(12_000, 'USD'),
      floorPrice: new Money(8_000, 'USD'),
    });
    await repriceListing(runtime, { environment, domain: 'repriced.com', priceCents: 5_000 });
    expect(await find('repriced.com')).toMatchObject({
      price: new Money(5_000, 'USD'),
      floorPrice: new Money(5_000, 'USD'),
    });
  });

  it('does not add a floor where there is none', async () => {
    const { id } = await add('nofloor.com');
    await runtime.db.transact((uow) => setPrice(uow, id, 11_000));
    expect(await find('nofloor.com')).toMatchObject({
      price: new Money(11_000, 'USD'),
      floorPrice: null,
    });
  });

  it('refuses unknown and delisted names and invalid prices', async () => {
    await add('gonename.com');
    await delistListing(runtime, { environment, domain: 'gonename.com' });
    const reprice = (domain: string, priceCents: number) =>
      repriceListing(runtime, { environment, domain, priceCents });
    await expect(reprice('unknownname.com', 5)).rejects.toMatchObject({ code: 'not_found' });
    await expect(reprice('gonename.com', 5)).rejects.toMatchObject({
      details: { reason: 'invalid_state' },
    });
    await expect(reprice('gonename.com', 0)).rejects.toMatchObject({ code: 'validation_error' });
  });
});

describe('delisting a domain', () => {
  it('removes the name from search until it is listed again, and is idempotent', async () => {
    await add('comeback.com');
    const delisted = await delistListing(runtime, { environment, domain: 'comeback.com' });
    expect(delisted.status).toBe('delisted');
    expect(await isFound('comeback.com')).toBe(false);
    expect(await delistListing(runtime, { environment, domain: 'comeback.com' })).toEqual(delisted);
    expect(await add('comeback.com', 99_000)).toMatchObject({
      id: delisted.id,
      status: 'listed',
      price: new Money(99_000, 'USD'),
    });
    expect(await isFound('comeback.com')).toBe(true);
  });

  it('refuses a sold or unknown name', async () => {
    const { id } = await add('deliveredname.com');
    await runtime.db.transact((uow) => markSold(uow, { id, environment: 'SANDBOX' }));
    const delist = (domain: string) => delistListing(runtime, { environment, domain });
    await expect(delist('deliveredname.com')).rejects.toMatchObject({
      details: { reason: 'domain_sold' },
    });
    await expect(delist('unknownname.com')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('selling a listing', () => {
  it('removes the name from search, and relisting restores it', async () => {
    const { id, saleNumber } = await add('tradedname.com');
    const inTx = <T>(work: Parameters<typeof runtime.db.transact<T>>[0]) =>
      runtime.db.transact(work);
    expect(await inTx((uow) => relist(uow, { id, saleNumber }))).toBe(false);
    const sellIt = () => inTx((uow) => markSold(uow, { id, environment: 'SANDBOX' }));
    await sellIt();
    await expect(sellIt()).rejects.toThrow('no row from');
    expect(await find('tradedname.com')).toMatchObject({ status: 'sold' });
    expect(await isFound('tradedname.com')).toBe(false);
    expect(await inTx((uow) => relist(uow, { id, saleNumber: saleNumber - 1 }))).toBe(false);
    expect(await inTx((uow) => relist(uow, { id, saleNumber }))).toBe(true);
    expect(await find('tradedname.com')).toMatchObject({ status: 'listed' });
    expect(await isFound('tradedname.com')).toBe(true);
  });

  it('leaves the name listed and searchable when rolled back', async () => {
    const { id } = await add('rolledback.com');
    const failing = runtime.db.transact(async (uow) => {
      await markSold(uow, { id, environment: 'SANDBOX' });
      throw new Error('changed our mind');
    });
    await expect(failing).rejects.toThrow('changed our mind');
    expect(await find('rolledback.com')).toMatchObject({ status: 'listed' });
    expect(await isFound('rolledback.com')).toBe(true);
  });

  it('waits for the lock that another order holds on the listing', async () => {
    const { id } = await add('lockedname.com');
    const seen: string[] = [];
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let locked = () => {};
    const isLocked = new Promise<void>((resolve) => {
      locked = resolve;
    });
    const first = runtime.db.transact(async (uow) => {
      await lockListing(uow, environment, 'lockedname.com');
      locked();
      await released;
      await markSold(uow, { id, environment: 'SANDBOX' });
      seen.push('first sold');
    });
    await isLocked;
    const second = runtime.db.transact(async (uow) => {
      const listing = await lockListing(uow, environment, 'lockedname.com');
      seen.push(`second sees ${listing?.status}`);
    });
    release();
    await Promise.all([first, second]);
    expect(seen).toEqual(['first sold', 'second sees sold']);
  });
});
