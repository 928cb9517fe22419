import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import {
  resumePartner,
  suspendPartner,
} from '../../../shared/people/partners/partner-lifecycle.ts';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { Money } from '../../../shared/platform/money.ts';
import { firstPage } from '../../../shared/platform/page.ts';
import {
  markPayoutFailed,
  markPayoutPaid,
  reversePayout,
} from '../../../shared/settlement/payouts/payout-outcome.ts';
import {
  listPayouts,
  listPayoutsByStatus,
} from '../../../shared/settlement/payouts/read-payouts.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import { partnersWithWork } from '../../../shared/settlement/statements/run-settlements.ts';
import { givenPartner, type PartnerFixture } from '../../support/factories.ts';
import { givenOrder, type OrderFixture } from '../../support/orders.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { takeBack } from '../../support/take-back.ts';

let runtime: TestRuntime;
let partner: PartnerFixture;

beforeAll(async () => {
  runtime = await createTestRuntime({ settlementBatchSize: 2 });
});
afterAll(() => runtime.stop());
beforeEach(async () => {
  runtime.clock.set('2026-11-20T09:30:00.000Z');
  partner = await givenPartner(runtime);
});
afterEach(async () => {
  expect((await checkLedger(runtime)).imbalances).toEqual([]);
});

const hosted = (priceCents: number, more: OrderFixture = {}) =>
  givenOrder(runtime, partner, {
    priceCents,
    commissionBps: 1_000,
    paymentModel: 'hosted_checkout',
    ...more,
  });
const close = () => {
  runtime.clock.set(addMs(runtime.clock.now(), 1));
  return closePartnerPeriods(runtime, { ...partner, until: runtime.clock.now() });
};
const payouts = async () =>
  (
    await listPayouts(runtime, partner, {
      from: null,
      to: null,
      statuses: null,
      before: null,
      limit: 100,
    })
  ).rows.reverse();
const amounts = async () =>
  (await payouts()).map((one) => [one.source, one.amount.currency, one.amount.amount, one.status]);
const pay = (payoutId: string, reference = 'wire-1') =>
  markPayoutPaid(runtime, 'test', { payoutId, reference });
const failed = (payoutId: string, reference: string | null = null, reason: string | null = null) =>
  markPayoutFailed(runtime, 'test', { payoutId, reference, reason });
const reverse = (payoutId: string, reference = 'return-1', reason: string | null = null) =>
  reversePayout(runtime, 'test', { payoutId, reference, reason });
const balances = async () => {
  const { rows } = await runtime.db.knex.raw(
    `select account, sum(amount_cents) as sum from ledger_postings
     where partner_id = ? and account in ('partner_payable', 'payouts_in_transit') group by account`,
    [partner.partnerId],
  );
  return Object.fromEntries(
    rows.map((row: { account: string; sum: number }) => [row.account, row.sum]),
  );
};

describe('a settlement run', () => {
  it('pays commission on what we collected, one payout per source and currency', async () => {
    for (const price of [10_000, 20_000, 30_000]) await hosted(price);
    await hosted(5_000, { paymentModel: 'brokerage' });
    await hosted(7_000, { currency: 'EUR' });
    await givenOrder(runtime, partner, { priceCents: 99_000 });
    const statements = await close();
    expect(await amounts()).toEqual([
      ['hosted_checkout', 'EUR', 700, 'pending'],
      ['brokerage', 'USD', 500, 'pending'],
      ['hosted_checkout', 'USD', 6_000, 'pending'],
    ]);
    const made = await payouts();
    expect(statements).toContain(made[0]?.settlementId);
    expect(new Set(made.map((one) => one.settlementId))).toEqual(new Set(statements));
    expect(await balances()).toEqual({ partner_payable: 0, payouts_in_transit: -7_200 });
  });

  it('makes no payout of zero or for a partner that collects payments itself', async () => {
    await givenOrder(runtime, partner);
    await hosted(10_000, { commissionBps: 0 });
    expect(await close()).toHaveLength(1);
    expect(await payouts()).toEqual([]);
  });

  it('does not pay for orders taken back before settlement', async () => {
    const order = await hosted(10_000);
    await hosted(20_000);
    await takeBack(runtime, order);
    await close();
    expect(await amounts()).toEqual([['hosted_checkout', 'USD', 2_000, 'pending']]);
  });

  it('carries a clawback forward until later sales cover it', async () => {
    const order = await hosted(50_000);
    await close();
    await takeBack(runtime, order);
    expect(await close()).toHaveLength(1);
    expect(await balances()).toEqual({ partner_payable: 5_000, payouts_in_transit: -5_000 });
    await hosted(20_000);
    expect(await close()).toHaveLength(1);
    expect(await payouts()).toHaveLength(1);
    await hosted(40_000);
    await close();
    expect((await payouts()).map((one) => one.amount.amount)).toEqual([5_000, 1_000]);
  });

  it('does not net sources, currencies, or environments against each other', async () => {
    const order = await hosted(50_000);
    await close();
    await takeBack(runtime, order);
    await hosted(10_000, { paymentModel: 'brokerage' });
    await hosted(20_000, { currency: 'EUR' });
    await close();
    expect((await amounts()).slice(1)).toEqual([
      ['hosted_checkout', 'EUR', 2_000, 'pending'],
      ['brokerage', 'USD', 1_000, 'pending'],
    ]);
  });

  it('pays once when several runs close at the same time', async () => {
    for (let i = 0; i < 7; i += 1) await hosted(10_000);
    runtime.clock.set(addMs(runtime.clock.now(), 1));
    const at = { ...partner, until: runtime.clock.now() };
    await Promise.all([1, 2, 3].map(() => closePartnerPeriods(runtime, at)));
    expect(await amounts()).toEqual([['hosted_checkout', 'USD', 7_000, 'pending']]);
  });

  it('makes no payout if the close was interrupted, and pays when it is completed', async () => {
    await hosted(10_000);
    runtime.clock.set(addMs(runtime.clock.now(), 1));
    let steps = 0;
    const at = { ...partner, until: runtime.clock.now() };
    const stopped = closePartnerPeriods(runtime, at, {
      betweenBatches() {
        steps += 1;
        if (steps === 2) throw new Error('stopped');
      },
    });
    await expect(stopped).rejects.toThrow('stopped');
    expect(await payouts()).toEqual([]);
    await close();
    expect(await amounts()).toEqual([['hosted_checkout', 'USD', 1_000, 'pending']]);
  });
});

describe('a payout', () => {
  it('can be marked paid only once', async () => {
    await hosted(10_000);
    await close();
    const [{ id } = { id: '' }] = await payouts();
    const paid = await pay(id);
    expect(paid).toMatchObject({
      status: 'paid',
      reference: 'wire-1',
      paidAt: runtime.clock.now(),
    });
    expect(await balances()).toEqual({ partner_payable: 0, payouts_in_transit: 0 });
    runtime.clock.advance(DAY);
    expect(await pay(id, ' wire-1 ')).toEqual(paid);
    await expect(pay(id, 'wire-2')).rejects.toMatchObject({
      code: 'conflict',
      details: { reason: 'invalid_state' },
      message: expect.stringContaining('paid with reference wire-1'),
    });
    await expect(failed(id)).rejects.toMatchObject({ details: { reason: 'invalid_state' } });
    const trail = await runtime.db.knex('audit_log').where({ subject: id });
    expect(trail).toMatchObject([
      { action: 'payout:mark-paid', before: { status: 'pending' }, after: { status: 'paid' } },
    ]);
  });

  it('is owed again after failing and is included in the next statement', async () => {
    await hosted(10_000);
    await close();
    const [{ id } = { id: '' }] = await payouts();
    const returned = await failed(id, 'wire-1', 'account closed');
    expect(returned).toMatchObject({ status: 'failed', failureReason: 'account closed' });
    expect(await failed(id, 'wire-1')).toEqual(returned);
    await expect(failed(id, 'wire-2')).rejects.toMatchObject({ code: 'conflict' });
    await expect(pay(id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await balances()).toEqual({ partner_payable: -1_000, payouts_in_transit: 0 });
    await hosted(20_000);
    await close();
    expect(await amounts()).toEqual([
      ['hosted_checkout', 'USD', 1_000, 'failed'],
      ['hosted_checkout', 'USD', 3_000, 'pending'],
    ]);
  });

  it('is retried by the next run after failing, even without new sales', async () => {
    await hosted(10_000);
    await close();
    const [first] = await payouts();
    await failed(first?.id ?? '');
    expect(await close()).toEqual([]);
    const [, second] = await payouts();
    expect(second).toMatchObject({
      amount: new Money(1_000, 'USD'),
      status: 'pending',
      settlementId: null,
    });
    await failed(second?.id ?? '');
    await close();
    await close();
    expect((await payouts()).map((one) => one.status)).toEqual(['failed', 'failed', 'pending']);
  });

  it('waits for the end of the period in which it failed', async () => {
    await hosted(10_000);
    await close();
    const [first] = await payouts();
    await failed(first?.id ?? '');
    const due = (until: string) =>
      partnersWithWork(runtime.db.knex, runtime.config, {
        environment: 'SANDBOX',
        partnerId: partner.partnerId,
        period: 'ended',
        until: new Date(until),
      });
    expect(await due('2026-11-30T23:59:59Z')).toEqual([]);
    expect(await due('2026-12-01T00:00:00Z')).toEqual([partner.partnerId]);
    runtime.clock.set('2026-12-01T00:00:00.000Z');
    await closePartnerPeriods(runtime, { ...partner, until: runtime.clock.now() });
    expect(await due('2026-12-01T00:05:00Z')).toEqual([]);
  });

  it('is owed again after its payment was returned and is paid by the next run', async () => {
    await hosted(10_000);
    await close();
    const [{ id } = { id: '' }] = await payouts();
    await expect(reverse(id)).rejects.toMatchObject({ details: { reason: 'invalid_state' } });
    await pay(id);
    runtime.clock.advance(DAY);
    const returned = await reverse(id, ' return-1 ', 'account closed');
    expect(returned).toMatchObject({
      status: 'failed',
      reference: 'wire-1',
      reversalReference: 'return-1',
      failureReason: 'account closed',
      paidAt: null,
      failedAt: runtime.clock.now(),
    });
    expect(await balances()).toEqual({ partner_payable: -1_000, payouts_in_transit: 0 });
    expect(await reverse(id)).toEqual(returned);
    await expect(reverse(id, 'return-2')).rejects.toMatchObject({ code: 'conflict' });
    await expect(pay(id)).rejects.toMatchObject({ code: 'conflict' });
    const trail = await runtime.db.knex('audit_log').where({ subject: id }).orderBy('id');
    expect(trail).toMatchObject([
      { action: 'payout:mark-paid' },
      {
        action: 'payout:reverse',
        before: { status: 'paid', reference: 'wire-1' },
        after: { status: 'failed', reference: 'return-1', reason: 'account closed' },
      },
    ]);
    // The ledger keeps the payment and shows its reversal as separate entries.
    const entries = await runtime.db.knex('ledger_entries').where({ reference: id }).select('kind');
    expect(entries.map(({ kind }) => kind).sort()).toEqual([
      'payout',
      'payout_failure',
      'payout_payment',
      'payout_payment_reversal',
    ]);
    await close();
    expect(await amounts()).toEqual([
      ['hosted_checkout', 'USD', 1_000, 'failed'],
      ['hosted_checkout', 'USD', 1_000, 'pending'],
    ]);
  });

  it('can fail after being paid only through payout:reverse', async () => {
    await hosted(10_000);
    await close();
    const [{ id } = { id: '' }] = await payouts();
    await pay(id);
    await expect(failed(id)).rejects.toMatchObject({
      message: expect.stringContaining('payout:reverse'),
    });
  });

  it('is reversed once under concurrent requests', async () => {
    await hosted(10_000);
    await close();
    const [{ id } = { id: '' }] = await payouts();
    await pay(id);
    const ended = await Promise.allSettled([reverse(id), reverse(id), reverse(id, 'return-2')]);
    expect(ended.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    expect(
      await runtime.db.knex('audit_log').where({ action: 'payout:reverse', subject: id }),
    ).toHaveLength(1);
    expect(await balances()).toEqual({ partner_payable: -1_000, payouts_in_transit: 0 });
  });

  it('is either paid or failed under concurrent requests, never both', async () => {
    await hosted(10_000);
    await close();
    const [{ id } = { id: '' }] = await payouts();
    const ended = await Promise.allSettled([pay(id), failed(id), pay(id), failed(id)]);
    expect(ended.filter((one) => one.status === 'fulfilled')).toHaveLength(2);
  });

  it.each([
    ['', 'validation_error'],
    ['x'.repeat(256), 'validation_error'],
  ])('rejects the reference %j', async (reference, code) => {
    await expect(pay('pay_01jd0000000000000000000000', reference)).rejects.toMatchObject({ code });
    await expect(failed('pay_01jd0000000000000000000000', reference)).rejects.toMatchObject({
      code,
    });
  });

  it('returns not_found if it does not exist', async () => {
    await expect(pay('pay_01jd0000000000000000000000')).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('a payout of a suspended partner', () => {
  const waiting = async (list: 'pending' | 'held') =>
    (
      await listPayoutsByStatus(
        runtime,
        list,
        { partnerId: partner.partnerId, environment: null },
        firstPage('oldest', 10),
      )
    ).rows.map(({ id }) => id);

  it('is created and recorded in the ledger, but held until the partner is resumed', async () => {
    await hosted(10_000);
    await close();
    const [{ id: before } = { id: '' }] = await payouts();
    await suspendPartner(runtime, 'test', partner.partnerId);
    await hosted(20_000);
    await close();
    const [, { id: after } = { id: '' }] = await payouts();
    expect(await amounts()).toEqual([
      ['hosted_checkout', 'USD', 1_000, 'pending'],
      ['hosted_checkout', 'USD', 2_000, 'pending'],
    ]);
    expect(await waiting('pending')).toEqual([]);
    expect(await waiting('held')).toEqual([before, after]);
    for (const id of [before, after]) {
      await expect(pay(id)).rejects.toMatchObject({
        code: 'conflict',
        details: { reason: 'partner_suspended' },
      });
    }
    expect(await balances()).toEqual({ partner_payable: 0, payouts_in_transit: -3_000 });

    await resumePartner(runtime, 'test', partner.partnerId);
    expect(await waiting('held')).toEqual([]);
    expect(await waiting('pending')).toEqual([before, after]);
    expect(await pay(before)).toMatchObject({ status: 'paid' });
    await suspendPartner(runtime, 'test', partner.partnerId);
    // Earlier payouts can still be paid or reversed.
    expect(await pay(before)).toMatchObject({ status: 'paid' });
    expect(await reverse(before)).toMatchObject({ status: 'failed' });
  });
});
