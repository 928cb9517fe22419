import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  markPayoutFailed,
  markPayoutPaid,
} from '../../../shared/settlement/payouts/payout-outcome.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { csvLine } from '../../support/csv.ts';
import { givenOrder } from '../../support/orders.ts';

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

type Query = Record<string, string | number>;
const list = (query: Query = {}) =>
  partner.client
    .get('/v1/payouts', { query })
    .expect(200)
    .then((answer) => answer.body);

/** A hosted sale that is settled a day later, with a 10 % commission. */
async function paidOut(priceCents: number, currency = 'USD'): Promise<string> {
  const { clock } = app.runtime;
  const options = { priceCents, currency, commissionBps: 1_000 };
  await givenOrder(app.runtime, partner, { ...options, paymentModel: 'hosted_checkout' });
  clock.advance(86_400_000);
  const [statement = ''] = await closePartnerPeriods(app.runtime, {
    ...partner,
    until: clock.now(),
  });
  return statement;
}

describe('GET /v1/payouts', () => {
  it('is empty if there are no payouts', async () => {
    expect(await list()).toEqual({ payouts: [], next_cursor: null });
  });

  it('lists payouts newest first, with their status', async () => {
    const first = await paidOut(10_000);
    const [{ id }] = (await list()).payouts;
    await markPayoutPaid(app.runtime, 'test', { payoutId: id, reference: 'wire-1' });
    const second = await paidOut(20_000);
    expect(await list()).toEqual({
      payouts: [
        {
          id: expect.stringMatching(/^pay_/),
          source: 'hosted_checkout',
          amount_cents: 2_000,
          currency: 'USD',
          status: 'pending',
          settlement_id: second,
          reference: null,
          created_at: '2026-11-22T09:30:00.000Z',
          paid_at: null,
        },
        {
          id,
          source: 'hosted_checkout',
          amount_cents: 1_000,
          currency: 'USD',
          status: 'paid',
          settlement_id: first,
          reference: 'wire-1',
          created_at: '2026-11-21T09:30:00.000Z',
          paid_at: '2026-11-21T09:30:00.000Z',
        },
      ],
      next_cursor: null,
    });
  });

  it('filters by status and date, pages, and exports everything as CSV', async () => {
    for (const price of [10_000, 20_000, 30_000, 40_000]) await paidOut(price);
    const whole = (await list()).payouts;
    const [newest, , , oldest] = whole;
    await markPayoutFailed(app.runtime, 'test', {
      payoutId: oldest.id,
      reference: 'wire-9',
      reason: 'account closed',
    });
    const amounts = async (query: Query) =>
      (await list(query)).payouts.map((one: { amount_cents: number }) => one.amount_cents);
    expect(await amounts({ status: 'failed' })).toEqual([1_000]);
    expect(await amounts({ status: 'failed,paid' })).toEqual([1_000]);
    expect(await amounts({ status: 'pending' })).toEqual([4_000, 3_000, 2_000]);
    expect(await amounts({ from: '2026-11-22', to: '2026-11-24' })).toEqual([3_000, 2_000]);
    const paged = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { payouts: { id: string }[]; next_cursor: string | null } = await list({
        limit: 3,
        ...(cursor && { cursor }),
      });
      paged.push(...page.payouts);
      cursor = page.next_cursor;
    }
    expect(paged).toEqual((await list()).payouts);
    const { text, headers } = await partner.client
      .get('/v1/payouts', {
        query: { status: 'pending', limit: 1 },
        headers: { Accept: 'text/csv' },
      })
      .expect(200);
    expect(headers.get('Content-Type')).toMatch(/^text\/csv/);
    const [header, first, ...others] = text.trimEnd().split('\r\n');
    expect(header).toBe(
      'id,source,amount_cents,currency,status,settlement_id,reference,created_at,paid_at',
    );
    expect(first).toBe(csvLine(newest));
    expect(others).toHaveLength(2);
  });

  it('shows nothing to another partner or in the other environment', async () => {
    await paidOut(10_000);
    const other = await app.partner();
    const live = await app.partner({ environment: 'LIVE' });
    for (const { client } of [other, live]) {
      const { body } = await client.get('/v1/payouts').expect(200);
      expect(body.payouts).toEqual([]);
    }
  });

  it('requires the report scope', async () => {
    const seller = await app.partner({ scopes: ['buy', 'refer'] });
    const { status, body } = await seller.client.get('/v1/payouts');
    expect([status, body.error.code]).toEqual([403, 'forbidden']);
  });

  it.each([
    [{ status: 'sent' }, 'validation_error'],
    [{ from: '2026-12-01', to: '2026-11-01' }, 'validation_error'],
    [{ limit: 0 }, 'validation_error'],
    [{ cursor: 'nonsense' }, 'invalid_cursor'],
  ])('rejects %j', async (query, code) => {
    const { status, body } = await partner.client.get('/v1/payouts', { query });
    expect([status, body.error.code]).toEqual([400, code]);
  });
});
