import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { Money } from '../../../shared/platform/money.ts';
import type { Order } from '../../../shared/sales/orders/order.ts';
import type { ReferralLink } from '../../../shared/sales/referral/referral-link.ts';
import { createCommissionPayouts } from '../../../shared/settlement/payouts/create-payouts.ts';
import {
  markPayoutFailed,
  markPayoutPaid,
  reversePayout,
} from '../../../shared/settlement/payouts/payout-outcome.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import { partnersWithWork } from '../../../shared/settlement/statements/run-settlements.ts';
import { givenPartner, type PartnerFixture } from '../../support/factories.ts';
import {
  type Affiliate,
  deliver,
  givenAffiliate,
  givenLink,
  givenReferredOrder,
  historyOf,
} from '../../support/referrals.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { takeBack } from '../../support/take-back.ts';

let runtime: TestRuntime;
let affiliate: Affiliate;
let link: ReferralLink;
let seller: PartnerFixture;

beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());
beforeEach(async () => {
  affiliate = await givenAffiliate(runtime);
  link = await givenLink(runtime, affiliate);
  seller = await givenPartner(runtime);
});

/** A referred order of 1,000.00 whose commission of 50.00 is payable. */
async function settled(): Promise<Order> {
  const order = await givenReferredOrder(runtime, seller, link.code, { priceCents: 100_000 });
  await deliver(runtime, order.id);
  await closePartnerPeriods(runtime, { ...seller, until: runtime.clock.now() });
  return order;
}
const pay = () => {
  const now = runtime.clock.now();
  return runtime.db.transact((uow) => createCommissionPayouts(uow, affiliate, now, now));
};
const markPaid = (payoutId: string) =>
  markPayoutPaid(runtime, 'test', { payoutId, reference: `wire-${payoutId}` });
const markFailed = (payoutId: string) =>
  markPayoutFailed(runtime, 'test', { payoutId, reference: null, reason: 'closed account' });
const comesBack = (payoutId: string) =>
  reversePayout(runtime, 'test', { payoutId, reference: `return-${payoutId}`, reason: null });
const lastLine = async () => (await historyOf(runtime, affiliate)).at(-1);
const idOf = (payouts: readonly { id: string }[]): string => {
  const [payout] = payouts;
  if (!payout || payouts.length > 1) throw new Error(`${payouts.length} payouts`);
  return payout.id;
};

describe('paying commissions', () => {
  it('makes one payout of all that is pending; the balance drops when it is paid', async () => {
    await settled();
    await settled();
    const [payout] = await pay();
    expect(payout).toMatchObject({
      source: 'referral',
      amount: new Money(10_000, 'USD'),
      status: 'pending',
    });
    expect(await lastLine()).toEqual(['pending', 5_000, 10_000]);
    expect(await pay()).toEqual([]);
    await markPaid(idOf([payout as { id: string }]));
    expect(await lastLine()).toEqual(['paid_out', -10_000, 0]);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true });
  });

  it('records a payment once, however often it is marked', async () => {
    await settled();
    const id = idOf(await pay());
    await Promise.all([markPaid(id), markPaid(id)]);
    await markPaid(id);
    expect((await historyOf(runtime, affiliate)).filter(([type]) => type === 'paid_out')).toEqual([
      ['paid_out', -5_000, 0],
    ]);
  });

  it('pays again after a payout failed', async () => {
    await settled();
    const first = idOf(await pay());
    await markFailed(first);
    expect(await lastLine()).toEqual(['pending', 5_000, 5_000]);
    const second = idOf(await pay());
    expect(second).not.toBe(first);
    await markPaid(second);
    expect(await lastLine()).toEqual(['paid_out', -5_000, 0]);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true });
  });

  it('deducts a paid commission that was clawed back from the next payout', async () => {
    const order = await settled();
    await markPaid(idOf(await pay()));
    await takeBack(runtime, order.id);
    expect(await lastLine()).toEqual(['reversed', -5_000, -5_000]);

    await settled();
    expect(await pay()).toEqual([]);
    await settled();
    const [payout] = await pay();
    expect(payout).toMatchObject({ amount: new Money(5_000, 'USD') });
    await markPaid(idOf([payout as { id: string }]));
    expect(await lastLine()).toEqual(['paid_out', -5_000, 0]);
    expect(await pay()).toEqual([]);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true });
  });

  it('reverses a commission whose order is clawed back while a payout is pending', async () => {
    const order = await settled();
    const id = idOf(await pay());
    await takeBack(runtime, order.id);
    expect(await lastLine()).toEqual(['reversed', -5_000, 0]);
    await markPaid(id);
    expect(await lastLine()).toEqual(['paid_out', -5_000, -5_000]);
    await settled();
    await settled();
    const [payout] = await pay();
    expect(payout).toMatchObject({ amount: new Money(5_000, 'USD') });
    expect(await checkLedger(runtime)).toMatchObject({ ok: true });
  });

  it('owes nothing for an order that was clawed back when its payout failed', async () => {
    const order = await settled();
    const id = idOf(await pay());
    await takeBack(runtime, order.id);
    await markFailed(id);
    expect(await pay()).toEqual([]);
    expect(await lastLine()).toEqual(['reversed', -5_000, 0]);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true });
  });

  it('owes a returned payment again and shows it in the history', async () => {
    await settled();
    const first = idOf(await pay());
    await markPaid(first);
    await comesBack(first);
    expect(await lastLine()).toEqual(['reversed', 5_000, 5_000]);
    await comesBack(first);
    expect((await historyOf(runtime, affiliate)).slice(-2)).toEqual([
      ['paid_out', -5_000, 0],
      ['reversed', 5_000, 5_000],
    ]);
    const second = idOf(await pay());
    await markPaid(second);
    expect(await lastLine()).toEqual(['paid_out', -5_000, 0]);
    expect(await pay()).toEqual([]);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true });
  });

  it('deducts nothing for a clawed-back order whose payment was returned', async () => {
    const order = await settled();
    const id = idOf(await pay());
    await markPaid(id);
    await takeBack(runtime, order.id);
    await comesBack(id);
    expect(await lastLine()).toEqual(['reversed', 5_000, 0]);
    await settled();
    expect(await pay()).toMatchObject([{ amount: new Money(5_000, 'USD') }]);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true });
  });

  it('restores what a later payout deducted for a payment that was returned', async () => {
    const order = await settled();
    const first = idOf(await pay());
    await markPaid(first);
    await takeBack(runtime, order.id);
    await settled();
    await settled();
    const second = idOf(await pay());
    await markPaid(second);
    expect(await lastLine()).toEqual(['paid_out', -5_000, 0]);
    // The two sales earned 100.00 but paid 50.00, since the first payment seemed to have arrived.
    await comesBack(first);
    const third = await pay();
    expect(third).toMatchObject([{ amount: new Money(5_000, 'USD') }]);
    await markPaid(idOf(third));
    expect(await lastLine()).toEqual(['paid_out', -5_000, 0]);
    await comesBack(idOf(third));
    await comesBack(second);
    expect(await lastLine()).toEqual(['reversed', 5_000, 10_000]);
    expect(await pay()).toMatchObject([{ amount: new Money(10_000, 'USD') }]);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true });
  });

  it("happens when the affiliate's own settlement closes", async () => {
    await settled();
    await closePartnerPeriods(runtime, { ...affiliate, until: runtime.clock.now() });
    expect(
      await runtime.db.knex('payouts').where({ partner_id: affiliate.partnerId }),
    ).toMatchObject([{ source: 'referral', amount_cents: 5_000, status: 'pending' }]);
  });

  it('pays a commission once when several runs pay at the same time', async () => {
    await settled();
    const made = (await Promise.all([pay(), pay(), pay()])).flat();
    expect(made).toMatchObject([{ amount: new Money(5_000, 'USD') }]);
  });
});

describe('the settlement schedule', () => {
  const due = (at: Date) =>
    partnersWithWork(runtime.db.knex, runtime.config, {
      environment: 'SANDBOX',
      period: null,
      until: at,
      partnerId: affiliate.partnerId,
    });

  it('includes affiliates without own sales, and failed payouts from the next cutoff', async () => {
    runtime.clock.set('2026-11-20T09:30:00.000Z');
    const before = runtime.clock.now();
    runtime.clock.advance(1_000);
    await settled();
    runtime.clock.advance(1_000);
    expect(await due(before)).toEqual([]);
    const cut = runtime.clock.now();
    expect(await due(cut)).toEqual([affiliate.partnerId]);
    const id = idOf(await pay());
    expect(await due(cut)).toEqual([]);
    runtime.clock.advance(1_000);
    await markFailed(id);
    expect(await due(cut)).toEqual([]);
    expect(await due(runtime.clock.now())).toEqual([affiliate.partnerId]);
  });

  it('skips an affiliate who owes us money', async () => {
    const order = await settled();
    await markPaid(idOf(await pay()));
    await takeBack(runtime, order.id);
    await settled();
    expect(await due(runtime.clock.now())).toEqual([]);
    await settled();
    expect(await due(runtime.clock.now())).toEqual([affiliate.partnerId]);
  });

  it('includes returned payments and what was deducted for them', async () => {
    const order = await settled();
    const first = idOf(await pay());
    await markPaid(first);
    await takeBack(runtime, order.id);
    await settled();
    await settled();
    await markPaid(idOf(await pay()));
    expect(await due(runtime.clock.now())).toEqual([]);
    await comesBack(first);
    expect(await due(runtime.clock.now())).toEqual([affiliate.partnerId]);
    await pay();
    expect(await due(runtime.clock.now())).toEqual([]);
  });
});
