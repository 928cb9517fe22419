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
  it('makes one payout of all that is pending, and leaves the balance until it was paid', async () => {
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

  it('tells a payment once, however often it is marked', async () => {
    await settled();
    const id = idOf(await pay());
    await Promise.all([markPaid(id), markPaid(id)]);
    await markPaid(id);
    expect((await historyOf(runtime, affiliate)).filter(([type]) => type === 'paid_out')).toEqual([
      ['paid_out', -5_000, 0],
    ]);
  });

  it('pays again what a payout failed to bring', async () => {
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

  it('keeps back from the next payout what was paid and then clawed back', async () => {
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

  it('takes back what was on its way when its order was clawed back', async () => {
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

  it('owes nothing for an order that was clawed back while its payout failed', async () => {
    const order = await settled();
    const id = idOf(await pay());
    await takeBack(runtime, order.id);
    await markFailed(id);
    expect(await pay()).toEqual([]);
    expect(await lastLine()).toEqual(['reversed', -5_000, 0]);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true });
  });

  it('owes again what a payment did not bring, and tells it in the history', async () => {
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

  it('keeps nothing back for an order that was taken back and whose payment never arrived', async () => {
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

  it('gives back what a later payout had kept back for a payment that came back after it', async () => {
    const order = await settled();
    const first = idOf(await pay());
    await markPaid(first);
    await takeBack(runtime, order.id);
    await settled();
    await settled();
    const second = idOf(await pay());
    await markPaid(second);
    expect(await lastLine()).toEqual(['paid_out', -5_000, 0]);
    // The two sales earned 100.00 and brought 50.00, for the first payment seemed to have arrived.
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

  it("is part of closing the affiliate's own settlement", async () => {
    await settled();
    await closePartnerPeriods(runtime, { ...affiliate, until: runtime.clock.now() });
    expect(
      await runtime.db.knex('payouts').where({ partner_id: affiliate.partnerId }),
    ).toMatchObject([{ source: 'referral', amount_cents: 5_000, status: 'pending' }]);
  });

  it('pays a commission once when two runs pay at once', async () => {
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

  it('comes for an affiliate without sales of its own, and not again for what has failed', async () => {
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

  it('does not come for what is owed to us', async () => {
    const order = await settled();
    await markPaid(idOf(await pay()));
    await takeBack(runtime, order.id);
    await settled();
    expect(await due(runtime.clock.now())).toEqual([]);
    await settled();
    expect(await due(runtime.clock.now())).toEqual([affiliate.partnerId]);
  });

  it('comes again for what came back, and for what was kept back of it', async () => {
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
