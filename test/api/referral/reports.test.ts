import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { createClickBuffer } from '../../../shared/sales/referral/click-buffer.ts';
import { encodeClick } from '../../../shared/sales/referral/click-cookie.ts';
import { countCheckoutView, rollUpClicks } from '../../../shared/sales/referral/click-counts.ts';
import { createCommissionPayouts } from '../../../shared/settlement/payouts/create-payouts.ts';
import { markPayoutPaid } from '../../../shared/settlement/payouts/payout-outcome.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenCredential, givenPartner, type PartnerFixture } from '../../support/factories.ts';
import { BROWSER, deliver, givenReferredOrder } from '../../support/referrals.ts';

let app: TestApp;
let affiliate: Awaited<ReturnType<TestApp['partner']>>;
let link: { id: string; code: string };
let seller: PartnerFixture;

const NOW = new Date('2026-11-20T09:30:00.000Z');

beforeAll(async () => {
  app = await startTestApp({ REFERRAL_COMMISSION_BPS: '500' });
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.runtime.clock.set(NOW);
  affiliate = await app.partner({ affiliate: true });
  const body = { kind: 'generic', sub_id: 'spring' };
  link = (await affiliate.client.post('/v1/links', { body }).expect(201)).body;
  seller = await givenPartner(app.runtime);
});

const rollUp = () =>
  rollUpClicks(app.runtime, createClickBuffer(app.runtime.redis, app.runtime.config));
async function click(times: number, at: Date = NOW) {
  app.runtime.clock.set(at);
  for (let i = 0; i < times; i += 1) {
    await fetch(`${app.url}/r/${link.code}`, {
      redirect: 'manual',
      headers: { 'User-Agent': `${BROWSER} ${i % 2}` },
    });
  }
  await rollUp();
  app.runtime.clock.set(NOW);
}
const refer = (options: object = {}) =>
  givenReferredOrder(app.runtime, seller, link.code, { priceCents: 100_000, ...options });
const read = async (path: string, query: Record<string, string | number> = {}) =>
  (await affiliate.client.get(path, { query }).expect(200)).body;

describe('GET /me/clicks', () => {
  it('totals clicks by day, week and month', async () => {
    await click(2, new Date('2026-10-31T23:59:59.999Z'));
    await click(3, new Date('2026-11-16T00:00:00.000Z'));
    await click(4, NOW);
    expect(await read('/v1/me/clicks')).toEqual({
      from: null,
      to: null,
      interval: 'day',
      totals: { clicks: 9, unique_clicks: 6 },
      series: [
        { start: '2026-10-31', clicks: 2, unique_clicks: 2 },
        { start: '2026-11-16', clicks: 3, unique_clicks: 2 },
        { start: '2026-11-20', clicks: 4, unique_clicks: 2 },
      ],
    });
    const byWeek = await read('/v1/me/clicks', { interval: 'week' });
    expect(byWeek.series.map((each: { start: string }) => each.start)).toEqual([
      '2026-10-26',
      '2026-11-16',
    ]);
    const byMonth = await read('/v1/me/clicks', { interval: 'month', from: '2026-11-01' });
    expect(byMonth).toMatchObject({
      from: '2026-11-01T00:00:00.000Z',
      series: [{ start: '2026-11-01', clicks: 7, unique_clicks: 4 }],
    });
  });

  it('treats from as inclusive and to as exclusive', async () => {
    await click(1, new Date('2026-11-18T12:00:00.000Z'));
    await click(1, new Date('2026-11-19T12:00:00.000Z'));
    const window = { from: '2026-11-18', to: '2026-11-19' };
    expect((await read('/v1/me/clicks', window)).totals.clicks).toBe(1);
    expect((await read('/v1/me/clicks', { to: '2026-11-18' })).totals.clicks).toBe(0);
    const backwards = { from: '2026-11-19', to: '2026-11-18' };
    await affiliate.client.get('/v1/me/clicks', { query: backwards }).expect(400);
    await affiliate.client.get('/v1/me/clicks', { query: { interval: 'hour' } }).expect(400);
  });
});

describe('GET /me/sales', () => {
  it('returns the sale with a masked buyer and the status of the commission', async () => {
    const order = await refer({ email: 'jane.doe@example.com' });
    expect(await read('/v1/me/sales')).toEqual({
      sales: [
        {
          order_id: order.id,
          buyer: 'j***@e***.com',
          domain: order.domain,
          amount_cents: 100_000,
          commission_cents: 5_000,
          currency: 'USD',
          link_id: link.id,
          sub_id: 'spring',
          status: 'accrued',
          sold_at: NOW.toISOString(),
        },
      ],
      next_cursor: null,
    });
    expect((await read('/v1/me/sales', { status: 'pending,paid_out' })).sales).toEqual([]);
    expect((await read('/v1/me/sales', { link_id: link.id })).sales).toHaveLength(1);
    await affiliate.client.get('/v1/me/sales', { query: { status: 'x' } }).expect(400);
  });

  it('pages newest first', async () => {
    const made: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      app.runtime.clock.advance(1_000);
      made.unshift((await refer()).id);
    }
    const first = await read('/v1/me/sales', { limit: 3 });
    const second = await read('/v1/me/sales', { limit: 3, cursor: first.next_cursor });
    const ids = [...first.sales, ...second.sales].map((sale) => sale.order_id);
    expect(ids).toEqual(made);
    expect(second.next_cursor).toBeNull();
  });
});

describe('GET /me/commissions and /me/payouts', () => {
  it('report every step of a commission, each cent once', async () => {
    const order = await refer();
    await deliver(app.runtime, order.id);
    await closePartnerPeriods(app.runtime, { ...seller, until: NOW });
    const [payout] = await app.runtime.db.transact((uow) =>
      createCommissionPayouts(uow, affiliate, NOW, NOW),
    );
    const payoutId = payout?.id ?? '';
    expect(await read('/v1/me/payouts')).toEqual({
      payouts: [
        {
          id: payoutId,
          source: 'referral',
          amount_cents: 5_000,
          currency: 'USD',
          status: 'pending',
          reference: null,
          created_at: NOW.toISOString(),
          paid_at: null,
        },
      ],
      total_paid_cents: 0,
      currency: 'USD',
      next_cursor: null,
    });
    await markPayoutPaid(app.runtime, 'test', { payoutId, reference: 'wire-1' });

    const { commissions } = await read('/v1/me/commissions');
    expect(commissions[0]).toEqual({
      id: expect.stringMatching(/^cmn_/),
      type: 'paid_out',
      amount_cents: -5_000,
      balance_cents: 0,
      currency: 'USD',
      order_id: null,
      created_at: NOW.toISOString(),
    });
    expect(
      commissions.map((line: Record<string, unknown>) => [
        line.type,
        line.amount_cents,
        line.balance_cents,
      ]),
    ).toEqual([
      ['paid_out', -5_000, 0],
      ['pending', 5_000, 5_000],
      ['accrued', -5_000, 0],
      ['accrued', 5_000, 5_000],
    ]);
    expect(await read('/v1/me/payouts')).toMatchObject({
      payouts: [{ status: 'paid', reference: 'wire-1', paid_at: NOW.toISOString() }],
      total_paid_cents: 5_000,
    });
    expect((await read('/v1/me/sales')).sales[0].status).toBe('paid_out');
  });

  it('page without losing the running balance', async () => {
    for (let i = 0; i < 5; i += 1) await refer();
    const first = await read('/v1/me/commissions', { limit: 2 });
    const second = await read('/v1/me/commissions', { limit: 100, cursor: first.next_cursor });
    const lines = [...first.commissions, ...second.commissions].reverse();
    let balance = 0;
    for (const line of lines) {
      balance += line.amount_cents;
      expect(line.balance_cents).toBe(balance);
    }
    expect(lines).toHaveLength(5);
    expect((await read('/v1/me/commissions', { type: 'reversed' })).commissions).toEqual([]);
  });
});

describe('GET /analytics', () => {
  it('returns the funnel of the last 30 days', async () => {
    await click(8);
    const opened = (id: string, value: string, environment: 'SANDBOX' | 'LIVE' = 'SANDBOX') =>
      countCheckoutView(app.runtime, { id, environment }, value);
    const clickAt = (clickedAt: Date) => encodeClick({ code: link.code, clickedAt });
    for (const id of ['cks_1', 'cks_1', 'cks_2']) await opened(id, clickAt(NOW));
    await opened('cks_3', clickAt(addMs(NOW, -31 * DAY)));
    await opened('cks_4', 'nonsense');
    await opened('cks_5', clickAt(NOW), 'LIVE');
    await opened('cks_6', link.code);
    await rollUp();
    await refer();
    await refer({ currency: 'EUR' });
    app.runtime.clock.advance(1_000);
    expect(await read('/v1/analytics')).toEqual({
      from: addMs(NOW, 1_000 - 30 * DAY).toISOString(),
      to: addMs(NOW, 1_000).toISOString(),
      funnel: { clicks: 8, unique_clicks: 2, checkouts: 2, sales: 1 },
      conversion_rate: 0.125,
      gmv_cents: 100_000,
      commission_cents: 5_000,
      currency: 'USD',
      series: [
        {
          start: '2026-11-20',
          clicks: 8,
          unique_clicks: 2,
          checkouts: 2,
          sales: 1,
          gmv_cents: 100_000,
          commission_cents: 5_000,
        },
      ],
    });
  });

  it('returns zeros if there is no data', async () => {
    expect(await read('/v1/analytics', { from: '2026-01-01', to: '2026-02-01' })).toMatchObject({
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-02-01T00:00:00.000Z',
      funnel: { clicks: 0, unique_clicks: 0, checkouts: 0, sales: 0 },
      conversion_rate: 0,
      series: [],
    });
  });
});

describe('referral reports', () => {
  it('are empty for other affiliates and in the other environment', async () => {
    await click(2);
    await refer();
    const other = await app.partner({ affiliate: true });
    const live = app.as(
      await givenCredential(app.runtime, affiliate.partnerId, { environment: 'LIVE' }),
    );
    for (const client of [other.client, live]) {
      const get = async (path: string) => (await client.get(path).expect(200)).body;
      expect((await get('/v1/links')).links).toEqual([]);
      expect((await get('/v1/me/clicks')).series).toEqual([]);
      expect((await get('/v1/me/sales')).sales).toEqual([]);
      expect((await get('/v1/me/commissions')).commissions).toEqual([]);
      expect((await get('/v1/me/payouts')).payouts).toEqual([]);
      expect((await get('/v1/analytics')).series).toEqual([]);
    }
  });
});
