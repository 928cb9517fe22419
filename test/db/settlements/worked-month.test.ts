import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import { listSettlements } from '../../../shared/settlement/statements/read-statements.ts';
import { sectionsOf, tableOf } from '../../support/documents.ts';
import { givenPartner } from '../../support/factories.ts';
import { givenOrder } from '../../support/orders.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { readProjectFile } from '../../support/sources.ts';
import { takeBack } from '../../support/take-back.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

const page = sectionsOf(readProjectFile('docs/money.md'));
const rowsOf = (title: string) => tableOf(page.find((each) => each.title === title)?.text ?? '');
const word = (cell = '') => cell.replaceAll('`', '');
const cents = (cell = '') => Math.round(Number(cell.replaceAll(',', '')) * 100);

it('the worked month in docs/money.md matches the computed amounts', async () => {
  const partner = await givenPartner(runtime, { environment: 'LIVE', commissionBps: 1_500 });
  const orders = new Map<string, string>();
  for (const row of rowsOf('The orders')) {
    runtime.clock.set(`${row.Delivered}T12:00:00.000Z`);
    const id = await givenOrder(runtime, partner, {
      priceCents: cents(row.Price),
      paymentModel: word(row['Payment model']) as 'merchant_of_record' | 'hosted_checkout',
    });
    orders.set(word(row.Domain), id);
  }
  const close = async (until: string) => {
    runtime.clock.set(until);
    await closePartnerPeriods(runtime, { ...partner, until: new Date(until) });
  };
  await close('2026-11-01T00:00:00.000Z');
  runtime.clock.set('2026-11-18T12:00:00.000Z');
  await takeBack(runtime, orders.get('oldfield.org') ?? '', 'claw_back');
  await close('2026-12-01T00:00:00.000Z');

  const { rows: statements } = await listSettlements(runtime, partner, {
    from: null,
    to: null,
    statuses: ['closed'],
    after: null,
    limit: 10,
  });
  expect(statements.map(({ periodStart }) => periodStart.toISOString().slice(0, 7))).toEqual([
    '2026-11',
    '2026-10',
  ]);
  const [november] = statements;
  const printed = rowsOf('The statement').map(({ Field, Value }) => [word(Field), Number(Value)]);
  expect(Object.fromEntries(printed)).toEqual({
    orders_count: november?.ordersCount,
    gross_sold_cents: november?.grossSoldCents,
    commission_retained_cents: november?.commissionRetainedCents,
    adjustments_cents: november?.adjustmentsCents,
    amount_owed_cents: november?.amountOwedCents,
  });
  expect(november?.dueAt).toEqual(addMs(november?.closedAt ?? new Date(0), 14 * DAY));

  const { knex } = runtime.db;
  const recorded = await knex('orders').where({ partner_id: partner.partnerId });
  const lines = await knex('settlement_lines').where({ settlement_id: november?.id });
  for (const row of rowsOf('The orders')) {
    const id = orders.get(word(row.Domain));
    const order = recorded.find((each) => each.id === id);
    expect([row.Domain, Number(order?.commission_cents)]).toEqual([
      row.Domain,
      cents(row.Commission),
    ]);
    const line = lines.find((each) => each.order_id === id);
    const stands = row['In this statement'] ?? '';
    expect([row.Domain, line ? Number(line.amount_owed_cents) : null]).toEqual([
      row.Domain,
      stands === 'not yet' ? null : cents(stands),
    ]);
  }

  const payouts = await knex('payouts').where({ partner_id: partner.partnerId });
  expect(payouts.map((each) => [each.source, Number(each.amount_cents)])).toEqual(
    rowsOf('The payout').map(({ Source, Amount }) => [word(Source), cents(Amount)]),
  );

  const { rows: balances } = await knex.raw(
    'select account, sum(amount_cents)::int as cents from ledger_postings where partner_id = ? group by account',
    [partner.partnerId],
  );
  const balanceOf = (account: string) =>
    balances.find((each: { account: string }) => each.account === account)?.cents ?? 0;
  for (const { Account, Balance } of rowsOf('The ledger')) {
    expect([Account, balanceOf(word(Account))]).toEqual([Account, cents(Balance)]);
  }
});
