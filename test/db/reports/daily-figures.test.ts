import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  countDailyFigures,
  type Figure,
  readDailyFigures,
  readPartnerFigures,
  sampleWaits,
} from '../../../shared/operations/daily-figures/daily-figures.ts';
import { addMs, DAY, dayOf, HOUR } from '../../../shared/platform/clock.ts';
import { createSession } from '../../../shared/sales/checkout/checkout-lifecycle.ts';
import { confirmDelivery } from '../../../shared/sales/transfers/deliver-domain.ts';
import { startTransfer } from '../../../shared/sales/transfers/start-transfer.ts';
import { CONSOLE_ENV } from '../../support/console-market.ts';
import { givenListing, givenPartner } from '../../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { givenSale } from '../../support/transfers.ts';
import { givenEndpoint } from '../../support/webhooks.ts';

let runtime: TestRuntime;

beforeAll(async () => {
  runtime = await createTestRuntime(CONSOLE_ENV);
});
afterAll(() => runtime?.stop());

async function figuresOf(environment: 'SANDBOX' | 'LIVE', unit: 'day' | 'month' = 'day') {
  const now = runtime.clock.now();
  const { figures } = await readDailyFigures(runtime, {
    environment,
    from: dayOf(addMs(now, -2 * DAY)),
    to: dayOf(addMs(now, DAY)),
    unit,
  });
  return (figure: Figure) => figures.filter((row) => row.figure === figure);
}

/** Counts all due days and returns how many there were. */
const countAll = () => countDailyFigures(runtime, 1_000);

describe('daily figures', () => {
  it('count orders, deliveries, webhooks, and waits, with the same result each time', async () => {
    const { knex } = runtime.db;
    const start = new Date(`${dayOf(runtime.clock.now())}T01:00:00Z`);
    runtime.clock.set(start);
    const endpoint = await givenEndpoint(runtime, 'http://127.0.0.1:40999/hook');
    const caller = { ...endpoint, commissionBps: 1_500 };
    const { order } = await givenSale(runtime, { domain: 'riverlantern.com', caller });
    await givenSale(runtime, { domain: 'hold-oakbridge.com', caller });
    await runtime.db.transact((uow) => startTransfer(uow, order.id));
    await knex('transfers').update({ status: 'awaiting_confirmation' });
    runtime.clock.set(addMs(start, 3 * HOUR));
    await runtime.db.transact((uow) => confirmDelivery(uow, order.id));
    const [first] = await knex('webhook_deliveries').orderBy('id').limit(1);
    await knex('webhook_deliveries').where({ id: first.id }).update({ state: 'delivered' });

    expect(await countAll()).toBe(401);
    await sampleWaits(runtime);
    const check = async () => {
      const of = await figuresOf('SANDBOX');
      const prices = await knex('orders').sum('sale_price_cents as sum').first();
      expect(of('orders')).toMatchObject([{ start: dayOf(start), part: 'USD', sum: 2 }]);
      expect(of('gmv')).toMatchObject([{ sum: Number(prices?.sum) }]);
      expect(of('deliveries')).toMatchObject([{ sum: 1 }]);
      expect(of('delivery_ms')).toMatchObject([{ sum: 3 * HOUR }]);
      expect(of('review_age_ms')).toMatchObject([{ max: 3 * HOUR }]);
      expect(of('webhooks_delivered')).toMatchObject([{ sum: 1 }]);
      expect((await figuresOf('LIVE'))('orders')).toEqual([]);
      const month = await figuresOf('SANDBOX', 'month');
      expect(month('orders')).toMatchObject([{ start: `${dayOf(start).slice(0, 8)}01`, sum: 2 }]);
    };
    await check();
    // Nothing is due; five minutes later the current day is.
    expect(await countAll()).toBe(0);
    runtime.clock.set(addMs(start, 3 * HOUR + 300_000));
    expect(await countAll()).toBe(1);
    await check();
  });

  it('count the checkout sessions of each partner, even if paid days later', async () => {
    const { knex } = runtime.db;
    const { partnerId } = await givenPartner(runtime);
    const caller = { partnerId, environment: 'SANDBOX', keyId: 'test', commissionBps: 0 } as const;
    const open = async () => {
      const { domain } = await givenListing(runtime);
      const rest = {
        quote: null,
        returnUrl: null,
        cancelUrl: null,
        buyerEmail: null,
        clientReference: null,
      };
      return (await createSession(runtime, caller, { domain, ...rest })).session.id;
    };
    const ids = [await open(), await open(), await open()];
    const day = dayOf(runtime.clock.now());
    const figures = async () => {
      runtime.clock.set(addMs(runtime.clock.now(), 300_000));
      await countAll();
      const { figures: rows } = await readPartnerFigures(runtime, {
        partnerId,
        environment: 'SANDBOX',
        from: day,
        to: dayOf(addMs(new Date(day), DAY)),
        unit: 'day',
      });
      return Object.fromEntries(rows.map(({ figure, sum }) => [figure, sum]));
    };
    expect(await figures()).toEqual({ checkouts: 3, checkouts_paid: 0 });
    const buyer = { ...(await givenPartner(runtime)), commissionBps: 0 };
    const { order } = await givenSale(runtime, { domain: 'amberfield.com', caller: buyer });
    const paid = { status: 'paid', order_id: order.id };
    await knex('checkout_sessions').where({ id: ids[0] }).update(paid);
    expect(await figures()).toEqual({ checkouts: 3, checkouts_paid: 1 });
  });

  it('keep jobs that have been deleted since', async () => {
    const { knex } = runtime.db;
    const done = { state: 'done', done_at: runtime.clock.now() };
    await knex('outbox').update(done);
    const count = (await knex('outbox').pluck('id')).length;
    expect(count).toBeGreaterThan(0);
    const sum = async () =>
      (await figuresOf('LIVE'))('jobs_done').reduce((total, row) => total + row.sum, 0);
    runtime.clock.set(addMs(runtime.clock.now(), 300_000));
    await countAll();
    expect(await sum()).toBe(count);
    await knex('outbox').delete();
    runtime.clock.set(addMs(runtime.clock.now(), 300_000));
    expect(await countAll()).toBe(1);
    expect(await sum()).toBe(count);
  });

  it('are final a few days later', async () => {
    runtime.clock.set(addMs(runtime.clock.now(), 7 * DAY));
    // Seven uncounted days, plus those whose webhooks may have been retried since.
    expect(await countAll()).toBeGreaterThanOrEqual(7);
    const counted = await runtime.db
      .knex('daily_counts')
      .where('day', '<', dayOf(addMs(runtime.clock.now(), -6 * DAY)));
    runtime.clock.set(addMs(runtime.clock.now(), 300_000));
    expect(await countAll()).toBe(1);
    expect(counted.length).toBeGreaterThan(0);
  });
});
