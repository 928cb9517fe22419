import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addListing, repriceListing } from '../../../shared/market/inventory/change-listings.ts';
import { Money } from '../../../shared/platform/money.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

describe('concurrent listing lookups', () => {
  it('return each caller the listing of its own environment, or none', async () => {
    const listed = [
      ['SANDBOX', 'askedtwice.com', 10_000],
      ['LIVE', 'askedtwice.com', 20_000],
      ['SANDBOX', 'askedonce.com', 30_000],
    ] as const;
    for (const [environment, domain, priceCents] of listed) {
      await addListing(runtime, { environment, domain, priceCents });
    }
    const asked = [
      { environment: 'SANDBOX', domain: 'askedonce.com' },
      { environment: 'SANDBOX', domain: 'askedtwice.com' },
      { environment: 'LIVE', domain: 'askedtwice.com' },
      { environment: 'LIVE', domain: 'askedonce.com' },
      { environment: 'SANDBOX', domain: 'askedtwice.com' },
      { environment: 'SANDBOX', domain: 'neverlisted.com' },
    ] as const;
    const found = await Promise.all(asked.map(runtime.findTerms));
    expect(found.map((listing) => listing?.price.amount)).toEqual([
      30_000,
      10_000,
      20_000,
      undefined,
      10_000,
      undefined,
    ]);
  });

  it('return every change committed before the lookup started', async () => {
    const key = { environment: 'SANDBOX', domain: 'everchanging.com' } as const;
    await addListing(runtime, { ...key, priceCents: 1_000 });
    const others: Promise<unknown>[] = [];
    for (let priceCents = 2_000; priceCents < 22_000; priceCents += 1_000) {
      others.push(runtime.findTerms(key), runtime.findTerms(key));
      await repriceListing(runtime, { ...key, priceCents });
      others.push(runtime.findTerms(key));
      expect(await runtime.findTerms(key)).toMatchObject({ price: new Money(priceCents, 'USD') });
    }
    await Promise.all(others);
  });
});
