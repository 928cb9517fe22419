import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import type { Order } from '../../../shared/sales/orders/order.ts';
import { encodeClick } from '../../../shared/sales/referral/click-cookie.ts';
import { attributeSale } from '../../../shared/sales/referral/commission-lifecycle.ts';
import type { ReferralLink } from '../../../shared/sales/referral/referral-link.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
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
  runtime = await createTestRuntime({ REFERRAL_COMMISSION_BPS: '500' });
});
afterAll(() => runtime.stop());
beforeEach(async () => {
  affiliate = await givenAffiliate(runtime);
  link = await givenLink(runtime, affiliate);
  seller = await givenPartner(runtime);
});

const refer = (options = {}) => givenReferredOrder(runtime, seller, link.code, options);
const settle = () =>
  closePartnerPeriods(runtime, { ...seller, until: runtime.clock.now() }).then(() => undefined);
const saleOf = (order: Order) =>
  runtime.db.knex('referral_sales').where({ order_id: order.id }).first();

describe('attribution', () => {
  it('accrues the share of the link, half a cent away from zero, and says so in the ledger', async () => {
    const order = await refer({ priceCents: 485_010 });
    expect(await saleOf(order)).toMatchObject({
      link_id: link.id,
      partner_id: affiliate.partnerId,
      amount_cents: 485_010,
      commission_cents: 24_251,
      state: 'accrued',
    });
    expect(await historyOf(runtime, affiliate)).toEqual([['accrued', 24_251, 24_251]]);
    const stored = await runtime.db.knex('orders').where({ id: order.id }).first();
    expect(stored.referral_link_id).toBe(link.id);
    const postings = await runtime.db
      .knex('ledger_postings')
      .where({ partner_id: affiliate.partnerId })
      .orderBy('line');
    expect(postings.map((row) => [row.account, row.amount_cents])).toEqual([
      ['referral_commission', 24_251],
      ['referral_payable', -24_251],
    ]);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true });
  });

  it('forgets a click after thirty days', async () => {
    const clicked = (days: number) => addMs(runtime.clock.now(), -days * DAY);
    expect(await saleOf(await refer({ clickedAt: clicked(29) }))).toBeDefined();
    expect(await saleOf(await refer({ clickedAt: clicked(31) }))).toBeUndefined();
    expect(await saleOf(await refer({ clickedAt: clicked(-1) }))).toBeUndefined();
  });

  it('rewards no partner for its own sales', async () => {
    const before = await historyOf(runtime, affiliate);
    const own = await givenReferredOrder(runtime, affiliate, link.code);
    expect(await saleOf(own)).toBeUndefined();
    expect(await historyOf(runtime, affiliate)).toEqual(before);
  });

  it('takes no code of the other environment, and none that does not exist', async () => {
    const live = await givenAffiliate(runtime, { environment: 'LIVE' });
    const foreign = await givenLink(runtime, live);
    for (const code of [foreign.code, 'AAAAAAAAAA', 'not a code', '']) {
      expect(await saleOf(await givenReferredOrder(runtime, seller, code))).toBeUndefined();
    }
    expect(await historyOf(runtime, live)).toEqual([]);
  });

  it('counts an order once, for the first who asks', async () => {
    const order = await refer();
    const other = await givenAffiliate(runtime);
    const { code } = await givenLink(runtime, other);
    const again = await runtime.db.transact((uow) =>
      attributeSale(uow, { order, click: encodeClick({ code, clickedAt: runtime.clock.now() }) }),
    );
    expect(again).toBeNull();
    expect(await historyOf(runtime, other)).toEqual([]);
  });

  it('keeps a sale whose share is less than half a cent, without a line of money', async () => {
    const order = await refer({ priceCents: 9 });
    expect(await saleOf(order)).toMatchObject({ commission_cents: 0 });
    await takeBack(runtime, order.id);
    expect(await historyOf(runtime, affiliate)).toEqual([]);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true });
  });
});

describe('the life of a commission', () => {
  it('becomes payable when the order is settled', async () => {
    const order = await refer({ priceCents: 100_000 });
    await deliver(runtime, order.id);
    expect(await saleOf(order)).toMatchObject({ state: 'accrued' });
    await settle();
    expect(await saleOf(order)).toMatchObject({ state: 'pending' });
    expect(await historyOf(runtime, affiliate)).toEqual([
      ['accrued', 5_000, 5_000],
      ['accrued', -5_000, 0],
      ['pending', 5_000, 5_000],
    ]);
  });

  it('is taken back with its order, at whatever stage, once', async () => {
    const early = await refer({ priceCents: 100_000 });
    const late = await refer({ priceCents: 200_000 });
    await deliver(runtime, late.id);
    await settle();
    await takeBack(runtime, early.id);
    await takeBack(runtime, late.id);
    await expect(takeBack(runtime, late.id)).rejects.toMatchObject({ code: 'conflict' });
    expect((await historyOf(runtime, affiliate)).slice(-2)).toEqual([
      ['reversed', -5_000, 10_000],
      ['reversed', -10_000, 0],
    ]);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true });
  });

  it('of an order that was clawed back before its settlement never becomes payable', async () => {
    const order = await refer({ priceCents: 100_000 });
    await deliver(runtime, order.id);
    await takeBack(runtime, order.id);
    await settle();
    expect(await historyOf(runtime, affiliate)).toEqual([
      ['accrued', 5_000, 5_000],
      ['reversed', -5_000, 0],
    ]);
  });

  it('runs one balance a currency', async () => {
    await refer({ priceCents: 100_000 });
    await refer({ priceCents: 300_000, currency: 'EUR' });
    await refer({ priceCents: 100_000 });
    expect(await historyOf(runtime, affiliate)).toEqual([
      ['accrued', 5_000, 5_000],
      ['accrued', 15_000, 15_000],
      ['accrued', 5_000, 10_000],
    ]);
  });

  it('loses no cent when many sales come at once', async () => {
    await Promise.all(Array.from({ length: 12 }, () => refer({ priceCents: 100_000 })));
    const balances = (await historyOf(runtime, affiliate)).map(([, , balance]) => balance);
    expect(balances).toEqual(Array.from({ length: 12 }, (_, i) => (i + 1) * 5_000));
    expect(await checkLedger(runtime)).toMatchObject({ ok: true });
  });
});

describe('the commission history', () => {
  it.each([
    'update referral_commissions set amount_cents = amount_cents + 1',
    'delete from referral_commissions',
    'truncate referral_commissions',
  ])('is append-only: %s', async (sql) => {
    await refer();
    await expect(runtime.db.knex.raw(sql)).rejects.toMatchObject({
      constraint: 'ledger_is_append_only',
    });
  });
});
