import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  checkLedger,
  inspectRecent,
} from '../../../shared/operations/ledger-check/ledger-check.ts';
import {
  resumePartner,
  suspendPartner,
} from '../../../shared/people/partners/partner-lifecycle.ts';
import { Money } from '../../../shared/platform/money.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import {
  markSettlementPaid,
  reverseSettlementPayment,
} from '../../../shared/settlement/statements/statement-payment.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { csvLine } from '../../support/csv.ts';
import { givenOrder } from '../../support/orders.ts';
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

const close = (until: string) =>
  closePartnerPeriods(app.runtime, { ...partner, until: new Date(until) });
const list = (query: Record<string, string | number> = {}) =>
  partner.client
    .get('/v1/settlements', { query })
    .expect(200)
    .then((answer) => answer.body);
const read = (id: string, options = {}) =>
  partner.client.get(`/v1/settlements/${id}`, { ...options }).expect(200);
const sale = (deliveredAt: string, priceCents = 10_000, more = {}) =>
  givenOrder(app.runtime, partner, { deliveredAt, priceCents, ...more });
const clawBack = (orderId: string) => takeBack(app.runtime, orderId, 'claw_back');

describe('GET /v1/settlements', () => {
  it('returns the open period before anything is sold', async () => {
    expect(await list()).toEqual({
      settlements: [
        {
          id: expect.stringMatching(/^stl_/),
          period_start: '2026-11-01T00:00:00.000Z',
          period_end: '2026-12-01T00:00:00.000Z',
          status: 'open',
          currency: 'USD',
          orders_count: 0,
          gross_sold_cents: 0,
          commission_retained_cents: 0,
          adjustments_cents: 0,
          amount_owed_cents: 0,
          closed_at: null,
          due_at: null,
        },
      ],
      next_cursor: null,
    });
  });

  it('returns the open period first, then statements, newest first', async () => {
    await sale('2026-09-05T00:00:00Z');
    await sale('2026-10-05T00:00:00Z', 20_000);
    const [september = '', october = ''] = await close('2026-11-01T00:00:00Z');
    await clawBack(await sale('2026-11-05T00:00:00Z', 30_000));
    await sale('2026-11-06T00:00:00Z', 1_001);
    await markSettlementPaid(app.runtime, 'test', { settlementId: september, reference: 'wire' });
    const { settlements } = await list();
    expect(settlements).toMatchObject([
      {
        status: 'open',
        orders_count: 2,
        gross_sold_cents: 31_001,
        commission_retained_cents: 4_650,
        adjustments_cents: -25_500,
        amount_owed_cents: 851,
      },
      {
        id: october,
        status: 'closed',
        amount_owed_cents: 17_000,
        closed_at: '2026-11-20T09:30:00.000Z',
        due_at: '2026-12-04T09:30:00.000Z',
      },
      { id: september, status: 'paid', amount_owed_cents: 8_500 },
    ]);
    const ids = async (query: Record<string, string>) =>
      (await list(query)).settlements.map((one: { id: string }) => one.id);
    expect(await ids({ status: 'closed' })).toEqual([october]);
    expect(await ids({ status: 'paid, closed' })).toEqual([october, september]);
    expect(await ids({ status: 'open' })).toEqual([settlements[0].id]);
    expect(await ids({ from: '2026-09-01', to: '2026-10-01' })).toEqual([september]);
  });

  it('pages without losing or repeating a statement', async () => {
    for (const currency of ['USD', 'EUR', 'GBP']) {
      await sale('2026-09-05T00:00:00Z', 10_000, { currency });
      await sale('2026-10-05T00:00:00Z', 10_000, { currency });
    }
    await close('2026-11-01T00:00:00Z');
    await sale('2026-11-05T00:00:00Z', 10_000, { currency: 'EUR' });
    await sale('2026-11-05T00:00:00Z', 10_000, { currency: 'USD' });
    const whole = (await list()).settlements;
    expect(whole).toHaveLength(8);
    for (const limit of [1, 2, 3]) {
      const paged = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: { settlements: unknown[]; next_cursor: string | null } = await list({
          limit,
          ...(cursor && { cursor }),
        });
        expect(page.settlements.length).toBeLessThanOrEqual(limit);
        paged.push(...page.settlements);
        cursor = page.next_cursor;
      }
      expect(paged).toEqual(whole);
    }
  });

  it('counts a LIVE order in the period that closes after its delay', async () => {
    const live = await app.partner({ environment: 'LIVE' });
    await givenOrder(app.runtime, live, { deliveredAt: '2026-11-10T00:00:00Z' });
    await givenOrder(app.runtime, live, { deliveredAt: '2026-11-19T00:00:00Z' });
    const { body } = await live.client.get('/v1/settlements');
    expect(body.settlements).toMatchObject([{ status: 'open', orders_count: 1 }]);
  });

  it.each([
    [{ status: 'closing' }, 'validation_error'],
    [{ from: '2026-12-01', to: '2026-11-01' }, 'validation_error'],
    [{ limit: 101 }, 'validation_error'],
    [{ cursor: 'nonsense' }, 'invalid_cursor'],
  ])('rejects %j', async (query, code) => {
    const { status, body } = await partner.client.get('/v1/settlements', { query });
    expect([status, body.error.code]).toEqual([400, code]);
  });

  it('requires the buy scope', async () => {
    const reader = await app.partner({ scopes: ['report', 'search'] });
    const { status, body } = await reader.client.get('/v1/settlements');
    expect([status, body.error.code]).toEqual([403, 'forbidden']);
  });
});

describe('GET /v1/settlements/{id}', () => {
  it('returns the lines, oldest first, and they add up to the amount owed', async () => {
    const first = await sale('2026-10-05T00:00:00Z', 33_333);
    const second = await sale('2026-10-04T00:00:00Z', 5_555);
    await clawBack(second);
    const [id = '', november = ''] = await close('2026-11-20T09:30:00.000Z');
    const { body } = await read(id);
    expect(body.lines.map((line: { order_id: string }) => line.order_id)).toEqual([second, first]);
    const clawback = (await read(november)).body;
    expect(clawback.lines).toEqual([
      {
        order_id: second,
        type: 'clawback',
        domain: expect.any(String),
        payment_model: 'merchant_of_record',
        sale_price_cents: -5_555,
        commission_cents: -833,
        amount_owed_cents: -4_722,
        currency: 'USD',
        occurred_at: '2026-11-20T09:30:00.000Z',
      },
    ]);
    for (const statement of [body, clawback]) {
      const owed = statement.lines.map(
        (line: { amount_owed_cents: number }) => line.amount_owed_cents,
      );
      expect(owed.reduce((a: number, b: number) => a + b, 0)).toBe(statement.amount_owed_cents);
    }
  });

  it('returns the open period with its lines, under the id it keeps when it closes', async () => {
    const order = await sale('2026-11-05T00:00:00Z');
    const [open] = (await list()).settlements;
    const { body } = await read(open.id);
    expect(body).toMatchObject({ ...open, lines: [{ order_id: order, amount_owed_cents: 8_500 }] });
    app.runtime.clock.set('2026-12-01T00:00:00.000Z');
    expect(await close('2026-12-01T00:00:00.000Z')).toEqual([open.id]);
    expect((await read(open.id)).body).toMatchObject({
      ...open,
      status: 'closed',
      closed_at: expect.any(String),
      due_at: expect.any(String),
      lines: body.lines,
    });
  });

  it('pages through the lines, and exports all of them as CSV', async () => {
    for (let i = 0; i < 7; i += 1) await sale('2026-10-05T00:00:00Z', 1_000 + i);
    const [id = ''] = await close('2026-11-01T00:00:00Z');
    const whole = (await read(id)).body;
    const lines = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await read(id, { query: { limit: 3, ...(cursor && { cursor }) } });
      lines.push(...body.lines);
      cursor = body.next_cursor;
    }
    expect(lines).toEqual(whole.lines);
    const csv = await read(id, { headers: { Accept: 'text/csv' } });
    expect(csv.headers.get('Content-Type')).toMatch(/^text\/csv/);
    const [header, ...records] = csv.text.trimEnd().split('\r\n');
    expect(header).toBe(
      'order_id,type,domain,payment_model,sale_price_cents,commission_cents,amount_owed_cents,currency,occurred_at',
    );
    expect(records).toEqual(whole.lines.map((line: object) => csvLine(line)));
    const other = await partner.client
      .get(`/v1/settlements/${id}`, {
        query: { cursor: (await read(id, { query: { limit: 1 } })).body.next_cursor },
      })
      .expect(200);
    expect(other.body.lines).toHaveLength(6);
  });

  it('returns 404 for a statement of another partner and an unknown id', async () => {
    await sale('2026-10-05T00:00:00Z');
    const [id = ''] = await close('2026-11-01T00:00:00Z');
    const [open] = (await list()).settlements;
    const other = await app.partner();
    for (const foreign of [id, open.id, 'stl_01jd0000000000000000000000', 'nonsense']) {
      const { status, body } = await other.client.get(`/v1/settlements/${foreign}`);
      expect([status, body.error.code]).toEqual([404, 'not_found']);
    }
  });
});

describe('marking a statement as paid', () => {
  const pay = (settlementId: string, reference: string) =>
    markSettlementPaid(app.runtime, 'test', { settlementId, reference });

  it('moves the amount owed to cash, once', async () => {
    await sale('2026-10-05T00:00:00Z');
    const [id = ''] = await close('2026-11-01T00:00:00Z');
    const paid = await pay(id, 'wire-1');
    expect(paid).toMatchObject({ id, status: 'paid', amountOwed: new Money(8_500, 'USD') });
    expect(await pay(id, 'wire-1')).toEqual(paid);
    await expect(pay(id, 'wire-2')).rejects.toMatchObject({
      code: 'conflict',
      details: { reason: 'invalid_state' },
    });
    const postings = await app.runtime.db
      .knex('ledger_postings')
      .whereIn(
        'entry_id',
        app.runtime.db.knex('ledger_entries').where({ reference: id }).select('id'),
      )
      .orderBy(['entry_id', 'line']);
    expect(postings.map((row) => [row.account, row.amount_cents])).toEqual([
      ['partner_receivable', 8_500],
      ['partner_clearing', -8_500],
      ['cash', 8_500],
      ['partner_receivable', -8_500],
    ]);
  });

  it('rejects an unknown statement and an empty reference', async () => {
    await expect(pay('stl_01jd0000000000000000000000', 'x')).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(pay('stl_01jd0000000000000000000000', ' ')).rejects.toMatchObject({
      code: 'validation_error',
    });
  });

  const reverse = (settlementId: string, reference: string) =>
    reverseSettlementPayment(app.runtime, 'test', { settlementId, reference, reason: 'no funds' });
  const balances = async () => {
    const { rows } = await app.runtime.db.knex.raw(
      `select account, sum(amount_cents) as sum from ledger_postings
       where partner_id = ? and account in ('cash', 'partner_receivable') group by account`,
      [partner.partnerId],
    );
    return Object.fromEntries(
      rows.map((row: { account: string; sum: number }) => [row.account, row.sum]),
    );
  };

  it('can be reversed when the payment is returned, and done again', async () => {
    await sale('2026-10-05T00:00:00Z');
    const [id = ''] = await close('2026-11-01T00:00:00Z');
    await expect(reverse(id, 'return-1')).rejects.toMatchObject({
      details: { reason: 'invalid_state' },
    });
    await pay(id, 'wire-1');
    const reversed = await reverse(id, ' return-1 ');
    expect(reversed).toMatchObject({ id, status: 'closed', amountOwed: new Money(8_500, 'USD') });
    expect(await reverse(id, 'return-1')).toEqual(reversed);
    expect(await balances()).toEqual({ cash: 0, partner_receivable: 8_500 });
    const [seen] = (await list({ status: 'closed' })).settlements;
    expect(seen).toMatchObject({ id, status: 'closed', due_at: expect.any(String) });

    // Repeating the returned payment later pays nothing.
    await expect(pay(id, 'wire-1')).rejects.toMatchObject({ details: { reason: 'invalid_state' } });
    expect(await balances()).toEqual({ cash: 0, partner_receivable: 8_500 });
    await pay(id, 'wire-2');
    // Repeating the first return later does not affect the second payment.
    await expect(reverse(id, 'return-1')).rejects.toMatchObject({ code: 'conflict' });
    expect(await balances()).toEqual({ cash: 8_500, partner_receivable: 0 });
    await reverse(id, 'return-2');
    await pay(id, 'wire-3');
    for (const past of ['return-1', 'return-2']) {
      await expect(reverse(id, past)).rejects.toMatchObject({ code: 'conflict' });
    }
    expect(await balances()).toEqual({ cash: 8_500, partner_receivable: 0 });
    expect(await checkLedger(app.runtime)).toMatchObject({ ok: true });
    const recent = await app.runtime.db.transact((uow) =>
      inspectRecent(uow, new Date('2026-11-01')),
    );
    expect(recent).toMatchObject({ ok: true, imbalances: [] });
    const trail = await app.runtime.db.knex('audit_log').where({ subject: id }).orderBy('id');
    expect(trail.map(({ action }) => action)).toEqual([
      'settlement:mark-paid',
      'settlement:reverse-payment',
      'settlement:mark-paid',
      'settlement:reverse-payment',
      'settlement:mark-paid',
    ]);
    expect(trail[1]).toMatchObject({
      before: { status: 'paid', reference: 'wire-1' },
      after: { status: 'closed', reference: 'return-1', reason: 'no funds' },
    });
  });

  it('waits until a suspended partner is resumed if we owe the amount', async () => {
    const order = await sale('2026-10-05T00:00:00Z');
    const [october = ''] = await close('2026-11-01T00:00:00Z');
    await clawBack(order);
    app.runtime.clock.set('2026-12-02T00:00:00.000Z');
    const [owed = ''] = await close('2026-12-01T00:00:00Z');
    await suspendPartner(app.runtime, 'test', partner.partnerId);
    await expect(pay(owed, 'wire-1')).rejects.toMatchObject({
      details: { reason: 'partner_suspended' },
    });
    // Payments from the partner to us are still accepted.
    expect(await pay(october, 'wire-2')).toMatchObject({ status: 'paid' });
    await resumePartner(app.runtime, 'test', partner.partnerId);
    expect(await pay(owed, 'wire-1')).toMatchObject({ amountOwed: new Money(-8_500, 'USD') });
  });
});
