import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { down, up } from '../../../db/migrations/20261128140000_search_orders_in_a_table.ts';
import { givenPartner } from '../../support/factories.ts';
import { givenOrder } from '../../support/orders.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime?.stop());

describe('the order search table', () => {
  it('covers all orders, including older ones, and follows corrections', async () => {
    const { knex } = runtime.db;
    const partner = await givenPartner(runtime);
    const kept = () =>
      knex('order_search').orderBy('order_id').select('order_id', 'domain', 'buyer_email');
    const recorded = () =>
      knex('orders').orderBy('id').select({ order_id: 'id' }, 'domain', 'buyer_email');
    await down(knex);
    await givenOrder(runtime, partner);
    await givenOrder(runtime, partner);
    await up(knex);
    const late = await givenOrder(runtime, partner);
    expect(await kept()).toEqual(await recorded());
    expect(await kept()).toHaveLength(3);
    await knex('orders').where({ id: late }).update({ buyer_email: 'corrected@buyers.example' });
    expect(await kept()).toEqual(await recorded());
    await up(knex);
    expect(await kept()).toEqual(await recorded());
  });
});
