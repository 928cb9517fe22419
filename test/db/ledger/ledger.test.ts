import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkLedger, inspectLedger } from '../../../shared/ledger/check-ledger.ts';
import type { NewEntry, Posting } from '../../../shared/ledger/entry.ts';
import { postEntry } from '../../../shared/ledger/post-entry.ts';
import { markPayoutPaid } from '../../../shared/payouts/end-payout.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { closeForPartner } from '../../../shared/settlements/close-period.ts';
import { markSettlementPaid } from '../../../shared/settlements/mark-settlement-paid.ts';
import { givenPartner, type PartnerFixture } from '../../support/factories.ts';
import { givenOrder } from '../../support/orders.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

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
const post = (postings: Posting[]) =>
  runtime.db.transact((tx) => postEntry(tx, entry(postings), runtime.clock.now()));
const usd = (account: Posting['account'], amountCents: number): Posting => ({
  account,
  currency: 'USD',
  amountCents,
});

/** Past the code's own check, as a bug or a person at a prompt would. */
async function insertRaw(postings: [currency: string, amount: number][]): Promise<void> {
  await runtime.db.transact(async (tx) => {
    const id = newId('ledgerEntry', runtime.clock.now());
    await tx('ledger_entries').insert({
      id,
      kind: 'sale',
      reference: id,
      partner_id: partner.partnerId,
      environment: 'SANDBOX',
      created_at: runtime.clock.now(),
    });
    for (const [index, [currency, amount]] of postings.entries()) {
      await tx('ledger_postings').insert({
        entry_id: id,
        line: index + 1,
        account: 'cash',
        partner_id: partner.partnerId,
        environment: 'SANDBOX',
        currency,
        amount_cents: amount,
      });
    }
  });
}

describe('the ledger', () => {
  it('takes an entry that balances in every currency', async () => {
    const eur = { currency: 'EUR' };
    const id = await post([
      usd('cash', 100),
      usd('partner_receivable', -100),
      { ...usd('cash', 7), ...eur },
      { ...usd('partner_receivable', -7), ...eur },
    ]);
    expect(id).toMatch(/^txn_/);
  });

  it('refuses an unbalanced entry before it asks the database', async () => {
    await expect(post([usd('cash', 100), usd('partner_receivable', -99)])).rejects.toThrow(
      'is off by USD,1',
    );
  });

  it.each([
    ['a sum that is off', [['USD', 100] as const, ['USD', -99] as const]],
    ['currencies that balance only together', [['USD', 100] as const, ['EUR', -100] as const]],
    ['a single line', [['USD', 100] as const]],
    ['no line at all', []],
  ])('is refused by the database itself: %s', async (_what, postings) => {
    await expect(insertRaw(postings.map(([c, a]) => [c, a]))).rejects.toMatchObject({
      constraint: 'ledger_entry_balances',
    });
  });

  it('refuses a zero line, and a line added to an entry of the past', async () => {
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

  it('posts the same thing once', async () => {
    const once = entry([usd('cash', 5), usd('partner_receivable', -5)]);
    const again = () => runtime.db.transact((tx) => postEntry(tx, once, runtime.clock.now()));
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

  beforeAll(async () => {
    marketplace = await createTestRuntime();
    seller = await givenPartner(marketplace);
    orderId = await givenOrder(marketplace, seller);
    await givenOrder(marketplace, seller, { deliveredAt: null });
    await givenOrder(marketplace, seller, { paymentModel: 'hosted_checkout' });
    [settlementId = ''] = await closeForPartner(marketplace, {
      ...seller,
      until: marketplace.clock.now(),
    });
    await markSettlementPaid(marketplace, 'test', { settlementId, reference: 'wire-1' });
    [payoutId = ''] = await marketplace.db.knex('payouts').pluck('id');
    await markPayoutPaid(marketplace, 'test', { payoutId, reference: 'wire-2' });
  });
  afterAll(() => marketplace.stop());

  it('finds nothing in a marketplace that is in order', async () => {
    expect(await checkLedger(marketplace)).toEqual({ ok: true, entries: 7, imbalances: [] });
  });

  const broken: [string, string, string, () => string][] = [
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
      'an entry that does not balance',
      `insert into ledger_postings select id, 99, 'cash', partner_id, environment, 'USD', 1
       from ledger_entries where order_id = ?`,
      'entries_balance',
      () => orderId,
    ],
  ];

  it.each(broken)('finds %s', async (_what, sql, check, subject) => {
    const found = await inspectDamaged(marketplace, sql, subject());
    expect(found.ok).toBe(false);
    expect(found.imbalances.map((imbalance) => imbalance.check)).toContain(check);
    expect(await checkLedger(marketplace)).toMatchObject({ ok: true });
  });
});

/** What the check finds in a damaged marketplace; the damage is undone afterwards. */
async function inspectDamaged(runtime: TestRuntime, sql: string, subject: string) {
  const tx = await runtime.db.knex.transaction();
  try {
    await tx.raw(sql, [subject]);
    return await inspectLedger(tx);
  } finally {
    await tx.rollback();
  }
}
