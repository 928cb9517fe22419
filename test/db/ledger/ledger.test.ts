import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { UnitOfWork } from '../../../shared/messaging/unit-of-work/unit-of-work.ts';
import type { NewEntry, Posting } from '../../../shared/money/ledger/ledger-entry.ts';
import { postEntry } from '../../../shared/money/ledger/post-entry.ts';
import type { InvariantName } from '../../../shared/operations/ledger-check/ledger-check.store.ts';
import {
  checkLedger,
  checkRecentLedger,
  inspectLedger,
  inspectRecent,
  type LedgerReport,
  listLedgerChecks,
} from '../../../shared/operations/ledger-check/ledger-check.ts';
import { RECENT_SUBSETS } from '../../../shared/operations/ledger-check/recent-changes.store.ts';
import { addMs, DAY, HOUR } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { Money } from '../../../shared/platform/money.ts';
import { markPayoutPaid } from '../../../shared/settlement/payouts/payout-outcome.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import { markSettlementPaid } from '../../../shared/settlement/statements/statement-payment.ts';
import { bringTo, givenCase } from '../../support/brokerage.ts';
import { givenListing, givenPartner, type PartnerFixture } from '../../support/factories.ts';
import { givenOrder } from '../../support/orders.ts';
import { givenAffiliate, givenLink, givenReferredOrder } from '../../support/referrals.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { givenQuote, recordSale } from '../../support/sales.ts';
import { takeBack } from '../../support/take-back.ts';
import { runIn } from '../../support/transaction.ts';

let runtime: TestRuntime;
let partner: PartnerFixture;

beforeAll(async () => {
  runtime = await createTestRuntime();
  partner = await givenPartner(runtime);
  await givenOrder(runtime, partner);
});
afterAll(() => runtime.stop());

let references = 0;
const entry = (postings: Posting[]): NewEntry => {
  references += 1;
  return {
    kind: 'settlement_payment',
    reference: `reference-${references}`,
    partnerId: partner.partnerId,
    environment: partner.environment,
    orderId: null,
    postings,
  };
};
const post = (postings: Posting[]) => runtime.db.transact((uow) => postEntry(uow, entry(postings)));
const usd = (account: Posting['account'], amountCents: number): Posting => ({
  account,
  amount: new Money(amountCents, 'USD'),
});

/** Bypasses the check in our code, as a bug or manual SQL would. */
async function insertRaw(postings: [currency: string, amount: number][]): Promise<void> {
  await runtime.db.transact(async (uow) => {
    const id = newId('ledgerEntry', runtime.clock.now());
    const { knex } = runtime.db;
    const row = {
      id,
      kind: 'sale',
      reference: id,
      partner_id: partner.partnerId,
      environment: 'SANDBOX',
      created_at: runtime.clock.now(),
    };
    await runIn(uow.sql, knex('ledger_entries').insert(row));
    for (const [index, [currency, amount]] of postings.entries()) {
      const posting = {
        entry_id: id,
        line: index + 1,
        account: 'cash',
        partner_id: partner.partnerId,
        environment: 'SANDBOX',
        currency,
        amount_cents: amount,
      };
      await runIn(uow.sql, knex('ledger_postings').insert(posting));
    }
  });
}

describe('the ledger', () => {
  it('accepts an entry that balances in every currency', async () => {
    const id = await post([
      usd('cash', 100),
      usd('partner_receivable', -100),
      { account: 'cash', amount: new Money(7, 'EUR') },
      { account: 'partner_receivable', amount: new Money(-7, 'EUR') },
    ]);
    expect(id).toMatch(/^txn_/);
  });

  it('rejects an unbalanced entry before writing it to the database', async () => {
    await expect(post([usd('cash', 100), usd('partner_receivable', -99)])).rejects.toThrow(
      'is off by USD,1',
    );
    const yen = { account: 'partner_receivable' as const, amount: new Money(-100, 'JPY') };
    await expect(post([usd('cash', 100), yen])).rejects.toThrow('is off by USD,100');
  });

  it.each([
    ['a sum that is off', [['USD', 100] as const, ['USD', -99] as const]],
    ['currencies that balance only together', [['USD', 100] as const, ['EUR', -100] as const]],
    ['a single line', [['USD', 100] as const]],
    ['no line at all', []],
  ])('rejects an unbalanced entry in the database itself: %s', async (_what, postings) => {
    await expect(insertRaw(postings.map(([c, a]) => [c, a]))).rejects.toMatchObject({
      constraint: 'ledger_entry_balances',
    });
  });

  it('rejects a zero line, and a line added to an existing entry', async () => {
    await expect(
      insertRaw([
        ['USD', 0],
        ['USD', 0],
      ]),
    ).rejects.toThrow('violates check constraint');
    const { id } = await runtime.db.knex('ledger_entries').first();
    await expect(
      runtime.db.knex('ledger_postings').insert({
        entry_id: id,
        line: 99,
        account: 'cash',
        environment: 'SANDBOX',
        currency: 'USD',
        amount_cents: 1,
      }),
    ).rejects.toMatchObject({ constraint: 'ledger_entry_balances' });
  });

  it.each([
    'update ledger_entries set kind = kind',
    'update ledger_postings set amount_cents = amount_cents + 1',
    'delete from ledger_postings',
    'delete from ledger_entries',
    'truncate ledger_postings',
    'truncate ledger_entries cascade',
  ])('is append-only: %s', async (sql) => {
    await expect(runtime.db.knex.raw(sql)).rejects.toMatchObject({
      constraint: 'ledger_is_append_only',
    });
  });

  it('posts the same entry once', async () => {
    const once = entry([usd('cash', 5), usd('partner_receivable', -5)]);
    const again = () => runtime.db.transact((uow) => postEntry(uow, once));
    const outcomes = await Promise.allSettled([again(), again(), again()]);
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
  });
});

describe('the ledger check', () => {
  let marketplace: TestRuntime;
  let seller: PartnerFixture;
  let orderId: string;
  let settlementId: string;
  let payoutId: string;
  let quotedId: string;
  let dealId: string;
  let refundedId: string;
  let referredId: string;

  beforeAll(async () => {
    marketplace = await createTestRuntime();
    seller = await givenPartner(marketplace);
    orderId = await givenOrder(marketplace, seller);
    await givenOrder(marketplace, seller, { deliveredAt: null });
    await givenOrder(marketplace, seller, { paymentModel: 'hosted_checkout' });
    [settlementId = ''] = await closePartnerPeriods(marketplace, {
      ...seller,
      until: marketplace.clock.now(),
    });
    await markSettlementPaid(marketplace, 'test', { settlementId, reference: 'wire-1' });
    [payoutId = ''] = await marketplace.db.knex('payouts').pluck('id');
    await markPayoutPaid(marketplace, 'test', { payoutId, reference: 'wire-2' });

    const { domain } = await givenListing(marketplace);
    const { sent } = await givenQuote(marketplace, seller, domain);
    quotedId = (await recordSale(marketplace, seller, { quote: sent })).id;
    const brokered = await givenCase(marketplace, seller);
    await bringTo(marketplace, brokered.id, 'COMPLETED');
    [dealId = ''] = await marketplace.db
      .knex('orders')
      .where({ payment_model: 'brokerage' })
      .pluck('id');
    refundedId = await givenOrder(marketplace, seller, { deliveredAt: null });
    await takeBack(marketplace, refundedId);
    const affiliate = await givenAffiliate(marketplace);
    const { code } = await givenLink(marketplace, affiliate);
    referredId = (await givenReferredOrder(marketplace, seller, code)).id;
  });
  afterAll(() => marketplace.stop());

  it('finds nothing wrong in a consistent marketplace', async () => {
    expect(await checkLedger(marketplace)).toEqual({ ok: true, entries: 13, imbalances: [] });
  });

  const broken: [string, string, InvariantName, () => string][] = [
    [
      'an order whose price was changed',
      'update orders set sale_price_cents = sale_price_cents + 1 where id = ?',
      'orders_match_their_entries',
      () => orderId,
    ],
    [
      'an order that was refunded without a reversal',
      `update orders set status = 'REFUNDED' where id = ?`,
      'orders_match_their_entries',
      () => orderId,
    ],
    [
      'an order that was refunded without a reversal, in the balance of its partner',
      `update orders set status = 'REFUNDED' where id = ?`,
      'clearing_matches_the_orders',
      () => orderId,
    ],
    [
      'an order that left its statement',
      `update orders set settlement_id = null, status = 'TRANSFER_COMPLETED' where id = ?`,
      'lines_match_their_orders',
      () => orderId,
    ],
    [
      'a line that was changed',
      'update settlement_lines set amount_owed_cents = amount_owed_cents - 1 where order_id = ?',
      'statements_match_their_lines',
      () => orderId,
    ],
    [
      'a statement that was changed',
      'update settlements set amount_owed_cents = 1 where id = ?',
      'statements_match_the_ledger',
      () => settlementId,
    ],
    [
      'a payment that was forgotten',
      `update settlements set status = 'closed' where id = ?`,
      'statements_match_the_ledger',
      () => settlementId,
    ],
    [
      'a payout that was changed',
      'update payouts set amount_cents = amount_cents + 1 where id = ?',
      'payouts_match_their_payables',
      () => payoutId,
    ],
    [
      'a payout whose payment was forgotten',
      `update payouts set status = 'pending' where id = ?`,
      'payouts_match_the_ledger',
      () => payoutId,
    ],
    [
      'a payout that vanished from the balance of its partner',
      `update payouts set status = 'failed' where id = ?`,
      'payables_match_the_orders',
      () => payoutId,
    ],
    [
      'a debt that was changed',
      'update settlement_payables set amount_cents = amount_cents - 1 where payout_id = ?',
      'payables_match_their_lines',
      () => payoutId,
    ],
    [
      'an order in another currency than the quote that it used',
      `update orders set currency = 'JPY' where id = ?`,
      'quotes_match_their_orders',
      () => quotedId,
    ],
    [
      'an order at another price than the quote that it used',
      'update quotes set price_cents = price_cents + 1 where order_id = ?',
      'quotes_match_their_orders',
      () => quotedId,
    ],
    [
      'a deal in another currency than its case',
      `update brokerage_cases set currency = 'JPY' where order_id = ?`,
      'deals_match_their_orders',
      () => dealId,
    ],
    [
      'a refund in another currency than its order',
      `update refunds set currency = 'JPY' where order_id = ?`,
      'refunds_match_their_orders',
      () => refundedId,
    ],
    [
      'an order that was taken back without a refund',
      'delete from refunds where order_id = ?',
      'refunds_match_their_orders',
      () => refundedId,
    ],
    [
      'an attributed sale in another currency than its order',
      `update orders set currency = 'JPY' where id = ?`,
      'referrals_match_their_orders',
      () => referredId,
    ],
    [
      'a line of a commission in another currency than its sale',
      `update referral_sales set currency = 'JPY' where order_id = ?`,
      'commission_lines_match_the_sales',
      () => referredId,
    ],
    [
      'an order that owes something else than its price less its commission',
      'update orders set amount_owed_cents = amount_owed_cents + 1 where id = ?',
      'orders_add_up',
      () => orderId,
    ],
    [
      'an entry in another currency than its order',
      `update orders set currency = 'JPY' where id = ?`,
      'orders_match_their_entries',
      () => refundedId,
    ],
    [
      'a statement in another currency than the orders of its lines',
      `update settlements set currency = 'JPY' where id = ?`,
      'statements_match_their_lines',
      () => settlementId,
    ],
    [
      'a payout in another currency than what it pays',
      `update payouts set currency = 'JPY' where id = ?`,
      'payouts_match_their_payables',
      () => payoutId,
    ],
    [
      'an entry that does not balance',
      `insert into ledger_postings select id, 99, 'cash', partner_id, environment, 'USD', 1
       from ledger_entries where order_id = ?`,
      'entries_balance',
      () => orderId,
    ],
  ];

  it.each(broken)('finds %s', async (_what, sql, check, subject) => {
    const found = await inspectDamaged(marketplace, sql, subject(), inspectLedger);
    expect(found.ok).toBe(false);
    expect(found.imbalances.map((imbalance) => imbalance.check)).toContain(check);
    expect(await checkLedger(marketplace)).toMatchObject({ ok: true });
  });

  it.each(broken)('finds %s when it checks recent entries', async (_what, sql, check, subject) => {
    const since = addMs(marketplace.clock.now(), -HOUR);
    const found = await inspectDamaged(marketplace, sql, subject(), (uow) =>
      inspectRecent(uow, since),
    );
    expect(found.ok).toBe(false);
    // Partner balances are only checked in full; a recent check reports the cause instead.
    if (RECENT_SUBSETS[check]) expect(found.imbalances.map((each) => each.check)).toContain(check);
  });

  it.each(broken)(
    'skips %s long ago when it checks recent entries, unlike the full check',
    async (_what, sql, check, subject) => {
      const since = addMs(marketplace.clock.now(), HOUR);
      const damage = [marketplace, sql, subject()] as const;
      const recent = await inspectDamaged(...damage, (uow) => inspectRecent(uow, since));
      expect(recent).toEqual({ ok: true, entries: 0, imbalances: [] });
      const whole = await inspectDamaged(...damage, inspectLedger);
      expect(whole.imbalances.map((each) => each.check)).toContain(check);
    },
  );

  it.each(['settlement_payment', 'payout_payment', 'sale', 'referral'])(
    'finds a %s entry whose reference does not exist',
    async (kind) => {
      const sql = `with e as (
        insert into ledger_entries (id, kind, reference, partner_id, environment, created_at)
        select '${newId('ledgerEntry', marketplace.clock.now())}', '${kind}', 'nothing', partner_id, environment,
          created_at from ledger_entries where order_id = ? limit 1 returning *)
      insert into ledger_postings select id, line, 'cash', partner_id, environment, 'USD', amount
      from e, (values (1, 5), (2, -5)) as l (line, amount)`;
      const since = addMs(marketplace.clock.now(), -HOUR);
      for (const inspect of [inspectLedger, (uow: UnitOfWork) => inspectRecent(uow, since)]) {
        const { imbalances } = await inspectDamaged(marketplace, sql, orderId, inspect);
        const subjects = ['nothing', '(none)'];
        expect(imbalances.some((each) => subjects.includes(each.subject))).toBe(true);
      }
    },
  );

  it('finds an entry that posts to an account its kind does not use', async () => {
    const sql = `insert into ledger_postings
      select e.id, n, account, e.partner_id, e.environment, 'USD', amount from ledger_entries e,
        (values (98, 'cash', 1), (99, 'referral_payable', -1)) as l (n, account, amount)
      where e.kind = 'settlement' and e.reference = ?`;
    const since = addMs(marketplace.clock.now(), -HOUR);
    for (const inspect of [inspectLedger, (uow: UnitOfWork) => inspectRecent(uow, since)]) {
      const found = await inspectDamaged(marketplace, sql, settlementId, inspect);
      expect(found.imbalances.map((each) => each.check)).toContain('entries_use_their_accounts');
    }
  });
});

describe('the recent ledger check', () => {
  let market: TestRuntime;
  let seller: PartnerFixture;
  beforeAll(async () => {
    market = await createTestRuntime();
    seller = await givenPartner(market);
    await givenOrder(market, seller, { paymentModel: 'hosted_checkout' });
    market.clock.advance(DAY);
  });
  afterAll(() => market.stop());

  it('starts with a full check, continues from the last good one, and keeps both', async () => {
    expect(await checkRecentLedger(market, 0)).toEqual({
      ok: true,
      entries: 1,
      imbalances: [],
      since: null,
    });
    const first = market.clock.now();
    market.clock.advance(2 * DAY);
    const orderId = await givenOrder(market, seller);
    const second = await checkRecentLedger(market, 0);
    expect(second).toMatchObject({ ok: true, entries: 1, since: expect.any(Date) });
    expect(Math.abs(Number(second.since) - addMs(first, -HOUR).getTime())).toBeLessThan(HOUR);

    // An imbalance keeps being reported until it is fixed.
    const price = (change: number) =>
      market.db.knex('orders').where({ id: orderId }).increment('sale_price_cents', change);
    await price(1);
    expect(await checkRecentLedger(market, 0)).toMatchObject({ ok: false });
    market.clock.advance(2 * DAY);
    expect(await checkRecentLedger(market, 0)).toMatchObject({ ok: false });
    expect(await market.figures.ledger(0)).toMatchObject({ ok: false });
    await price(-1);
    expect(await checkRecentLedger(market, 0)).toMatchObject({ ok: true, entries: 1 });
    expect(await listLedgerChecks(market, 10)).toMatchObject([
      { ok: true, since: expect.any(Date) },
      { ok: false, since: expect.any(Date) },
      { ok: false, since: expect.any(Date) },
      { ok: true, since: expect.any(Date) },
      { ok: true, since: null },
    ]);
  });

  it('does not hide what the last full check found', async () => {
    market.clock.advance(2 * DAY);
    const old = market.db.knex('orders').where({ payment_model: 'hosted_checkout' });
    await old.clone().increment('sale_price_cents', 1);
    expect(await checkRecentLedger(market, 0)).toMatchObject({ ok: true, entries: 0 });
    expect(await market.figures.ledger(0)).toMatchObject({ ok: true, imbalances: 0 });
    expect(await checkLedger(market)).toMatchObject({ ok: false });
    await checkRecentLedger(market, 0);
    expect(await market.figures.ledger(0)).toMatchObject({ ok: false });
    await old.clone().decrement('sale_price_cents', 1);
    expect(await checkLedger(market)).toMatchObject({ ok: true });
    expect(await market.figures.ledger(0)).toMatchObject({ ok: true, imbalances: 0 });
  });

  it('runs a full check as long as that is quick', async () => {
    expect(await checkRecentLedger(market)).toMatchObject({ ok: true, entries: 2, since: null });
  });
});

/** The findings in a damaged marketplace; the damage is rolled back afterwards. */
async function inspectDamaged(
  runtime: TestRuntime,
  sql: string,
  subject: string,
  inspect: (uow: UnitOfWork) => Promise<LedgerReport>,
) {
  const reports: LedgerReport[] = [];
  const undo = new Error('the damage is undone');
  const inspecting = runtime.db.transact(async (uow) => {
    await runIn(uow.sql, runtime.db.knex.raw(sql, [subject]));
    reports.push(await inspect(uow));
    throw undo;
  });
  await expect(inspecting).rejects.toBe(undo);
  return reports[0] as LedgerReport;
}
