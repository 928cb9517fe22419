import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { searchConsole } from '../../../shared/operations/monitoring/console-search.ts';
import { givenPartner } from '../../support/factories.ts';
import { givenOrder } from '../../support/orders.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;

const OLD_SHOPS = ['shop-one.com', 'my-shop-two.com', 'shop-three.com'];

beforeAll(async () => {
  runtime = await createTestRuntime();
  const partner = await givenPartner(runtime);
  const others = Array.from({ length: 90 }, (_, n) => `other${n}.com`);
  for (const domain of ['rare.com', ...OLD_SHOPS, ...others]) {
    const id = await givenOrder(runtime, partner);
    runtime.clock.advance(10);
    const buyer_email = `${domain.replace('.com', '')}@buyers.example`;
    await runtime.db.knex('orders').where({ id }).update({ domain, buyer_email });
  }
  await runtime.db.knex.raw('analyze orders');
});
afterAll(() => runtime?.stop());

async function found(text: string, lookThrough?: number) {
  const { orders, maybeMoreOrders } = await searchConsole(runtime, text, lookThrough);
  return { domains: orders.map(({ domain }) => domain), maybeMoreOrders };
}

describe('searching orders in the console', () => {
  it('finds a rare substring in an order of any age', async () => {
    for (const part of ['rare', 'are.com', 'rare@buyers']) {
      expect(await found(part, 5)).toEqual({ domains: ['rare.com'], maybeMoreOrders: false });
    }
  });

  it('finds a common substring in the newest orders and says if there may be more', async () => {
    const { domains, maybeMoreOrders } = await found('buyers.example');
    expect([domains.length, domains[0], maybeMoreOrders]).toEqual([25, 'other89.com', false]);
    const few = await found('buyers.example', 5);
    expect([few.domains.length, few.maybeMoreOrders]).toEqual([5, true]);
  });

  it('finds a domain by a common prefix in an order of any age', async () => {
    expect(await found('shop', 5)).toEqual({
      domains: ['shop-three.com', 'shop-one.com'],
      maybeMoreOrders: true,
    });
    expect((await found('shop')).domains).toEqual(OLD_SHOPS.toReversed());
  });
});
