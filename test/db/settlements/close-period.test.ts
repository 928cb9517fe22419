import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { addMs } from '../../../shared/platform/clock.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import { givenPartner, type PartnerFixture } from '../../support/factories.ts';
import { givenOrder } from '../../support/orders.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { takeBack } from '../../support/take-back.ts';

let runtime: TestRuntime;
let partner: PartnerFixture;

beforeAll(async () => {
  runtime = await createTestRuntime({ settlementBatchSize: 10 });
});
afterAll(() => runtime.stop());
beforeEach(async () => {
  runtime.clock.set('2026-11-20T09:30:00.000Z');
  partner = await givenPartner(runtime);
});

const close = (until: string | Date, options = {}) =>
  closePartnerPeriods(runtime, { ...partner, until: new Date(until) }, options);
const statements = () =>
  runtime.db
    .knex('settlements')
    .where({ partner_id: partner.partnerId })
    .orderBy('id')
    .then((rows) => rows);
const order = (id: string) => runtime.db.knex('orders').where({ id }).first();
const clawBack = (orderId: string) => takeBack(runtime, orderId, 'claw_back');
const settledEvents = () =>
  runtime.db
    .knex('events')
    .where({ partner_id: partner.partnerId, type: 'order.settled' })
    .orderBy('position');

describe('closing a settlement period', () => {
  it('puts delivered orders into one statement with the amount owed to the cent', async () => {
    const first = await givenOrder(runtime, partner, {
      deliveredAt: '2026-10-03T10:00:00Z',
      priceCents: 485_001,
    });
    const second = await givenOrder(runtime, partner, {
      deliveredAt: '2026-10-31T23:59:59.999Z',
      priceCents: 99,
    });
    const [id] = await close('2026-11-01T00:00:00Z');

    expect(await statements()).toMatchObject([
      {
        id,
        currency: 'USD',
        status: 'closed',
        period_start: new Date('2026-10-01'),
        period_end: new Date('2026-11-01'),
        orders_count: 2,
        gross_sold_cents: 485_100,
        commission_retained_cents: 72_750 + 15,
        adjustments_cents: 0,
        amount_owed_cents: 485_100 - 72_765,
        closed_at: runtime.clock.now(),
        due_at: new Date('2026-12-04T09:30:00.000Z'),
      },
    ]);
    expect(await order(first)).toMatchObject({
      status: 'SETTLED',
      settlement_id: id,
      settled_at: runtime.clock.now(),
    });
    const events = await settledEvents();
    expect(events.map((event) => event.subject)).toEqual([first, second]);
    expect(JSON.parse(events[0].body).data.order).toMatchObject({
      public_id: first,
      status: 'SETTLED',
      sale_price_cents: 485_001,
    });
    const timeline = await runtime.db.knex('order_timeline').where({ order_id: second });
    expect(timeline).toMatchObject([{ status: 'SETTLED', event: 'order.settled' }]);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true });
  });

  it('creates one statement per currency and calendar month, and none without orders', async () => {
    await givenOrder(runtime, partner, { deliveredAt: '2026-08-03T10:00:00Z' });
    await givenOrder(runtime, partner, { deliveredAt: '2026-08-04T10:00:00Z', currency: 'EUR' });
    await givenOrder(runtime, partner, { deliveredAt: '2026-10-05T10:00:00Z' });
    expect(await close('2026-11-01T00:00:00Z')).toHaveLength(3);
    const rows = await statements();
    expect(rows.map((row) => [row.currency, row.period_start.toISOString().slice(0, 7)])).toEqual(
      expect.arrayContaining([
        ['USD', '2026-08'],
        ['EUR', '2026-08'],
        ['USD', '2026-10'],
      ]),
    );
    expect(await close('2026-11-01T00:00:00Z')).toEqual([]);
    expect(await statements()).toEqual(rows);
  });

  it('includes an order delivered exactly at the cutoff, but not a millisecond later', async () => {
    const cut = new Date('2026-11-01T00:00:00.000Z');
    const at = await givenOrder(runtime, partner, { deliveredAt: cut });
    const after = await givenOrder(runtime, partner, { deliveredAt: addMs(cut, 1) });
    await close(cut);
    expect((await order(at)).status).toBe('SETTLED');
    expect((await order(after)).status).toBe('TRANSFER_COMPLETED');
    await close('2026-11-20T09:30:00Z');
    const [october, november] = await statements();
    expect((await order(after)).settlement_id).toBe(november.id);
    expect(november.period_start).toEqual(october.period_end);
  });

  it('waits for the settlement delay of LIVE orders', async () => {
    const live = await givenPartner(runtime, { environment: 'LIVE' });
    const id = await givenOrder(runtime, live, { deliveredAt: '2026-10-18T00:00:00.001Z' });
    const until = (text: string) =>
      closePartnerPeriods(runtime, { ...live, until: new Date(text) }).then((ids) => ids.length);
    expect(await until('2026-11-01T00:00:00Z')).toBe(0);
    runtime.clock.set('2026-12-02T00:00:00Z');
    expect(await until('2026-12-01T00:00:00Z')).toBe(1);
    expect((await order(id)).status).toBe('SETTLED');
  });

  it('closes a running month up to now and puts the rest into another statement', async () => {
    await givenOrder(runtime, partner);
    await close(runtime.clock.now());
    await givenOrder(runtime, partner);
    await close(runtime.clock.now());
    runtime.clock.set('2026-12-02T00:00:00Z');
    await givenOrder(runtime, partner, { deliveredAt: '2026-11-25T00:00:00Z' });
    await close('2026-12-01T00:00:00Z');
    const rows = await statements();
    expect(rows.map((row) => [row.period_start, row.period_end])).toEqual([
      [new Date('2026-11-01'), new Date('2026-11-20T09:30:00.000Z')],
      [new Date('2026-11-20T09:30:00.000Z'), new Date('2026-11-20T09:30:00.001Z')],
      [new Date('2026-11-20T09:30:00.001Z'), new Date('2026-12-01')],
    ]);
  });

  it('refuses a cutoff in the future', async () => {
    await expect(close('2026-11-20T09:30:00.001Z')).rejects.toMatchObject({
      code: 'validation_error',
    });
  });

  it("covers only the partner's own orders in the same environment", async () => {
    const other = await givenPartner(runtime);
    const foreign = await givenOrder(runtime, other, { deliveredAt: '2026-10-03T10:00:00Z' });
    const elsewhere = await givenOrder(
      runtime,
      { partnerId: partner.partnerId, environment: 'LIVE' },
      { deliveredAt: '2026-09-03T10:00:00Z' },
    );
    expect(await close('2026-11-01T00:00:00Z')).toEqual([]);
    expect((await order(foreign)).status).toBe('TRANSFER_COMPLETED');
    expect((await order(elsewhere)).status).toBe('TRANSFER_COMPLETED');
  });

  it('lists orders whose payment we collected with nothing owed', async () => {
    await givenOrder(runtime, partner, { paymentModel: 'hosted_checkout', priceCents: 10_000 });
    await close(runtime.clock.now());
    const [statement] = await statements();
    expect(statement).toMatchObject({
      orders_count: 1,
      gross_sold_cents: 10_000,
      commission_retained_cents: 0,
      amount_owed_cents: 0,
    });
    const entries = await runtime.db.knex('ledger_entries').where({ reference: statement.id });
    expect(entries).toEqual([]);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true });
  });
});

describe('clawbacks', () => {
  it('are deducted from the next statement, which may become negative', async () => {
    const id = await givenOrder(runtime, partner, {
      deliveredAt: '2026-10-03T10:00:00Z',
      priceCents: 10_000,
    });
    await close('2026-11-01T00:00:00Z');
    await clawBack(id);
    await close(runtime.clock.now());
    const [, november] = await statements();
    expect(november).toMatchObject({
      orders_count: 0,
      gross_sold_cents: 0,
      commission_retained_cents: 0,
      adjustments_cents: -8_500,
      amount_owed_cents: -8_500,
    });
    expect((await order(id)).status).toBe('REFUNDED');
    expect(await close(runtime.clock.now())).toEqual([]);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true, imbalances: [] });
  });

  it('appear next to the sale of an order that was never settled and cancel it out', async () => {
    const id = await givenOrder(runtime, partner, {
      deliveredAt: '2026-11-03T10:00:00Z',
      priceCents: 10_000,
    });
    await clawBack(id);
    const [settlement] = await close(runtime.clock.now());
    const lines = await runtime.db
      .knex('settlement_lines')
      .where({ settlement_id: settlement })
      .orderBy('kind', 'desc');
    expect(lines).toMatchObject([
      { kind: 'sale', order_id: id, amount_owed_cents: 8_500 },
      { kind: 'clawback', order_id: id, amount_owed_cents: -8_500 },
    ]);
    expect(await statements()).toMatchObject([{ amount_owed_cents: 0, orders_count: 1 }]);
    expect((await order(id)).status).toBe('REFUNDED');
    expect(await settledEvents()).toEqual([]);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true, imbalances: [] });
  });
});
