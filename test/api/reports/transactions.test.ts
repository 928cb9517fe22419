import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { foldTransactionTallies } from '../../../shared/settlement/reports/transaction-report.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { csvLine } from '../../support/csv.ts';
import { givenOrder, type OrderFixture } from '../../support/orders.ts';
import { takeBack } from '../../support/take-back.ts';

let app: TestApp;
let partner: Awaited<ReturnType<TestApp['partner']>>;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.runtime.clock.set('2026-11-20T09:30:00.000Z');
  partner = await app.partner();
});

interface Row {
  id: string;
  order_id: string;
  type: string;
  status: string;
  sale_price_cents: number;
  commission_cents: number;
  currency: string;
  created_at: string;
}
type Query = Record<string, string | number>;

const list = (query: Query = {}) =>
  partner.client
    .get('/v1/transactions', { query })
    .expect(200)
    .then((answer) => answer.body);
const csv = (query: Query = {}) =>
  partner.client
    .get('/v1/transactions', { query, headers: { Accept: 'text/csv' } })
    .expect(200)
    .then((answer) => answer.text);
/** Each order gets its own minute. */
const sale = (priceCents: number, more: OrderFixture = {}) => {
  app.runtime.clock.advance(60_000);
  return givenOrder(app.runtime, partner, { priceCents, commissionBps: 1_000, ...more });
};
const back = (orderId: string) => {
  app.runtime.clock.advance(60_000);
  return takeBack(app.runtime, orderId);
};
async function pages(query: Query): Promise<Row[][]> {
  const found: Row[][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { transactions: Row[]; next_cursor: string | null } = await list({
      ...query,
      ...(cursor && { cursor }),
    });
    found.push(page.transactions);
    cursor = page.next_cursor;
  }
  return found;
}
/** Totals computed from the rows. */
function added(rows: readonly Row[]) {
  const currencies = [...new Set(rows.map((row) => row.currency))].sort();
  return currencies.map((currency) => {
    const own = rows.filter((row) => row.currency === currency);
    return {
      currency,
      count: own.length,
      gmv_cents: own.reduce((sum, row) => sum + row.sale_price_cents, 0),
      commission_cents: own.reduce((sum, row) => sum + row.commission_cents, 0),
    };
  });
}

describe('GET /v1/transactions', () => {
  it('is empty before anything was sold', async () => {
    expect(await list()).toEqual({ transactions: [], totals: [], next_cursor: null });
  });

  it('reports a sale with the id of its ledger entry', async () => {
    const order = await sale(33_333);
    const entry = await app.runtime.db.knex('ledger_entries').where({ order_id: order }).first();
    expect(await list()).toEqual({
      transactions: [
        {
          id: entry.id,
          order_id: order,
          domain: expect.any(String),
          type: 'sale',
          status: 'TRANSFER_COMPLETED',
          payment_model: 'merchant_of_record',
          sale_price_cents: 33_333,
          commission_cents: 3_333,
          currency: 'USD',
          created_at: app.runtime.clock.now().toISOString(),
        },
      ],
      totals: [{ currency: 'USD', count: 1, gmv_cents: 33_333, commission_cents: 3_333 }],
      next_cursor: null,
    });
  });

  it('reports refunds and clawbacks as separate transactions with negative amounts', async () => {
    const refunded = await sale(10_000, { deliveredAt: null });
    const kept = await sale(20_000, { paymentModel: 'hosted_checkout' });
    const clawed = await sale(40_000);
    await closePartnerPeriods(app.runtime, { ...partner, until: app.runtime.clock.now() });
    await back(refunded);
    await back(clawed);
    const { transactions, totals } = await list();
    expect(transactions).toMatchObject([
      { order_id: clawed, type: 'clawback', status: 'REFUNDED', sale_price_cents: -40_000 },
      { order_id: refunded, type: 'refund', status: 'REFUNDED', commission_cents: -1_000 },
      { order_id: clawed, type: 'sale', status: 'REFUNDED', sale_price_cents: 40_000 },
      { order_id: kept, type: 'sale', status: 'SETTLED', payment_model: 'hosted_checkout' },
      { order_id: refunded, type: 'sale', status: 'REFUNDED', sale_price_cents: 10_000 },
    ]);
    expect(totals).toEqual([
      { currency: 'USD', count: 5, gmv_cents: 20_000, commission_cents: 2_000 },
    ]);
    for (const row of transactions) expect(row.id).toMatch(/^txn_/);
  });

  it('filters by status, payment model and date, with totals for the whole filter', async () => {
    const start = app.runtime.clock.now();
    for (let day = 0; day < 5; day += 1) {
      app.runtime.clock.set(addMs(start, day * DAY));
      await sale(1_000 + day, { paymentModel: 'brokerage', currency: 'EUR', deliveredAt: null });
      await sale(2_000 + day, { paymentModel: 'hosted_checkout' });
      const order = await sale(3_000 + day);
      if (day % 2 === 0) await back(order);
      if (day === 2) await foldTransactionTallies(app.runtime, 1_000);
    }
    const whole: Row[] = (await list({ limit: 100 })).transactions;
    expect(whole).toHaveLength(18);
    const filters: [Query, (row: Row & { payment_model: string }) => boolean][] = [
      [{}, () => true],
      [{ status: 'REFUNDED' }, (row) => row.status === 'REFUNDED'],
      [
        { status: 'TRANSFER_COMPLETED, TRANSFER_IN_PROGRESS' },
        (row) => row.status.startsWith('TRANSFER'),
      ],
      [{ payment_model: 'brokerage' }, (row) => row.payment_model === 'brokerage'],
      [
        { payment_model: 'hosted_checkout,merchant_of_record', status: 'TRANSFER_COMPLETED' },
        (row) => row.payment_model !== 'brokerage' && row.status === 'TRANSFER_COMPLETED',
      ],
      [{ status: 'CANCELLED' }, () => false],
      [{ from: '2026-11-22' }, (row) => row.created_at >= '2026-11-22'],
      [{ to: '2026-11-22' }, (row) => row.created_at < '2026-11-22'],
      [
        { from: '2026-11-21T09:32:00Z', to: '2026-11-24T09:32:00Z' },
        (row) => row.created_at >= '2026-11-21T09:32' && row.created_at < '2026-11-24T09:32',
      ],
      [
        { from: '2026-11-21T09:32:00Z', to: '2026-11-21T09:34:00.000Z', status: 'REFUNDED' },
        () => false,
      ],
      [
        { from: '2026-11-20T09:33:00Z', to: '2026-11-21T09:32:00Z' },
        (row) =>
          row.created_at >= '2026-11-20T09:33:00.000Z' &&
          row.created_at < '2026-11-21T09:32:00.000Z',
      ],
    ];
    for (const [query, fits] of filters) {
      const wanted = (whole as (Row & { payment_model: string })[]).filter(fits);
      const { transactions, totals } = await list({ ...query, limit: 100 });
      expect([query, transactions]).toEqual([query, wanted]);
      expect([query, totals]).toEqual([query, added(wanted)]);
      const found = await pages({ ...query, limit: 4 });
      expect(found.flat()).toEqual(wanted);
      const first = await list({ ...query, limit: 1 });
      expect(first.totals).toEqual(totals);
    }
  });

  it('pages without losing or repeating rows from the same millisecond', async () => {
    const clock = app.runtime.clock.now();
    for (let i = 0; i < 6; i += 1) {
      app.runtime.clock.set(clock);
      const order = await givenOrder(app.runtime, partner, { deliveredAt: clock });
      if (i % 2 === 0) await takeBack(app.runtime, order);
    }
    const whole = (await list({ limit: 100 })).transactions;
    expect(whole).toHaveLength(9);
    for (const limit of [1, 2, 4]) {
      expect((await pages({ limit })).flat()).toEqual(whole);
      expect((await pages({ limit, status: 'REFUNDED' })).flat()).toEqual(
        whole.filter((row: Row) => row.status === 'REFUNDED'),
      );
    }
  });

  it('exports everything that matches as CSV', async () => {
    for (let i = 0; i < 4; i += 1) await back(await sale(1_000 + i, { deliveredAt: null }));
    await sale(5_000, { currency: 'EUR' });
    const [header, ...records] = (await csv({ limit: 2 })).trimEnd().split('\r\n');
    expect(header).toBe(
      'id,order_id,domain,type,status,payment_model,sale_price_cents,commission_cents,currency,created_at',
    );
    const whole = (await list({ limit: 100 })).transactions;
    expect(records).toEqual(whole.map((row: object) => csvLine(row)));
    expect((await csv({ status: 'CANCELLED' })).split('\r\n')).toEqual([header, '']);
    const answer = await partner.client.get('/v1/transactions', {
      headers: { Accept: 'text/csv' },
    });
    expect(answer.headers.get('Content-Type')).toMatch(/^text\/csv/);
  });

  it('shows nothing to another partner or in the other environment', async () => {
    await sale(10_000);
    const other = await app.partner();
    const live = await app.partner({ environment: 'LIVE' });
    await givenOrder(app.runtime, { ...partner, environment: 'LIVE' }, { priceCents: 77 });
    for (const { client } of [other, live]) {
      const { body } = await client.get('/v1/transactions').expect(200);
      expect(body).toEqual({ transactions: [], totals: [], next_cursor: null });
    }
    expect((await list()).totals).toMatchObject([{ count: 1, gmv_cents: 10_000 }]);
  });

  it('requires the report scope', async () => {
    const seller = await app.partner({ scopes: ['buy', 'search'] });
    const { status, body } = await seller.client.get('/v1/transactions');
    expect([status, body.error.code]).toEqual([403, 'forbidden']);
  });

  it('accepts a cursor only with the same filters', async () => {
    for (let i = 0; i < 3; i += 1) await sale(1_000);
    const { next_cursor: cursor } = await list({ limit: 1, status: 'TRANSFER_COMPLETED' });
    for (const query of [{ cursor }, { cursor, status: 'SETTLED' }, { cursor: `${cursor}x` }]) {
      const { status, body } = await partner.client.get('/v1/transactions', { query });
      expect([status, body.error.code]).toEqual([400, 'invalid_cursor']);
    }
  });

  it.each([
    { status: 'DONE' },
    { status: 'SETTLED,' },
    { payment_model: 'barter' },
    { from: '2026-12-01', to: '2026-11-01' },
    { from: 'yesterday' },
    { limit: 0 },
    { limit: 101 },
  ])('rejects %j', async (query) => {
    const { status, body } = await partner.client.get('/v1/transactions', { query });
    expect([status, body.error.code]).toEqual([400, 'validation_error']);
  });
});
