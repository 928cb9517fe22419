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

describe('attributing a sale to a referral link', () => {
  it("accrues the link's commission, rounded half up, and posts it to the ledger", async () => {
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

  it('expires a click after thirty days', async () => {
    const clicked = (days: number) => addMs(runtime.clock.now(), -days * DAY);
    expect(await saleOf(await refer({ clickedAt: clicked(29) }))).toBeDefined();
    expect(await saleOf(await refer({ clickedAt: clicked(31) }))).toBeUndefined();
    expect(await saleOf(await refer({ clickedAt: clicked(-1) }))).toBeUndefined();
  });

  it('pays a partner nothing for its own sales', async () => {
    const before = await historyOf(runtime, affiliate);
    const own = await givenReferredOrder(runtime, affiliate, link.code);
    expect(await saleOf(own)).toBeUndefined();
    expect(await historyOf(runtime, affiliate)).toEqual(before);
  });

  it('ignores unknown codes and codes of the other environment', async () => {
    const live = await givenAffiliate(runtime, { environment: 'LIVE' });
    const foreign = await givenLink(runtime, live);
    for (const code of [foreign.code, 'AAAAAAAAAA', 'not a code', '']) {
      expect(await saleOf(await givenReferredOrder(runtime, seller, code))).toBeUndefined();
    }
    expect(await historyOf(runtime, live)).toEqual([]);
  });

  it('counts an order once, for the first click', async () => {
    const order = await refer();
    const other = await givenAffiliate(runtime);
    const { code } = await givenLink(runtime, other);
    const again = await runtime.db.transact((uow) =>
      attributeSale(uow, { order, click: encodeClick({ code, clickedAt: runtime.clock.now() }) }),
    );
    expect(again).toBeNull();
    expect(await historyOf(runtime, other)).toEqual([]);
  });

  it('records a sale with a commission under half a cent without a ledger entry', async () => {
    const order = await refer({ priceCents: 9 });
    expect(await saleOf(order)).toMatchObject({ commission_cents: 0 });
    await takeBack(runtime, order.id);
    expect(await historyOf(runtime, affiliate)).toEqual([]);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true });
  });
});

describe('a commission', () => {
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

  it('is reversed once with its order, at any stage', async () => {
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

  it('never becomes payable if the order is clawed back before settlement', async () => {
    const order = await refer({ priceCents: 100_000 });
    await deliver(runtime, order.id);
    await takeBack(runtime, order.id);
    await settle();
    expect(await historyOf(runtime, affiliate)).toEqual([
      ['accrued', 5_000, 5_000],
      ['reversed', -5_000, 0],
    ]);
  });

  it('has one running balance per currency', async () => {
    await refer({ priceCents: 100_000 });
    await refer({ priceCents: 300_000, currency: 'EUR' });
    await refer({ priceCents: 100_000 });
    expect(await historyOf(runtime, affiliate)).toEqual([
      ['accrued', 5_000, 5_000],
      ['accrued', 15_000, 15_000],
      ['accrued', 5_000, 10_000],
    ]);
  });

  it('adds up to the cent when many sales come at once', async () => {
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
