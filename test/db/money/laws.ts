import { expect } from '@jest/globals';
import {
  inspectLedger,
  inspectRecent,
} from '../../../shared/operations/ledger-check/ledger-check.ts';
import { addMs, DAY, HOUR } from '../../../shared/platform/clock.ts';
import { readTransactions } from '../../../shared/settlement/reports/transaction-report.ts';
import type { TestRuntime } from '../../support/runtime.ts';
import { accountKey, type Marketplace, type Noted, partnersOf } from './marketplace.ts';

/** Sums of amounts by `<partner>/<environment>/<currency>`; what comes to nothing is left out. */
type Sums = Record<string, number>;

function summed(entries: readonly (readonly [key: string, amount: number])[]): Sums {
  const sums = new Map<string, number>();
  for (const [key, amount] of entries) sums.set(key, (sums.get(key) ?? 0) + amount);
  return Object.fromEntries([...sums].filter(([, sum]) => sum !== 0).sort());
}

const keyOf = ({ book, currency }: Noted) => accountKey(book.partnerId, book.environment, currency);

/** Checks everything that must hold after every step against the notes. */
export async function expectLaws(runtime: TestRuntime, market: Marketplace): Promise<void> {
  const report = await runtime.db.transact((uow) => inspectLedger(uow));
  expect(report.imbalances).toEqual([]);
  await expectStatementsEqualLines(runtime, market);
  await expectBalances(runtime, market);
  await expectDomains(runtime, market);
  await expectDocuments(runtime, market);
}

/**
 * Documents say what the ledger says, to the cent, by partner, environment and currency; they are numbered from 1
 * without gaps, and the tax in them adds up.
 */
async function expectDocuments(runtime: TestRuntime, market: Marketplace): Promise<void> {
  const partners = { partners: partnersOf(market) };
  const read = async (sql: string): Promise<Sums> => {
    const { rows } = await runtime.db.knex.raw(sql, partners);
    return summed(
      rows.map(
        (row: { environment: string; partner_id: string; currency: string; sum: number }) => [
          accountKey(row.partner_id, row.environment, row.currency),
          row.sum,
        ],
      ),
    );
  };
  const issued = (...kinds: string[]) =>
    read(`select partner_id, environment, currency, sum(total_cents) as sum from documents
      where partner_id = any(:partners) and kind in (${kinds.map((kind) => `'${kind}'`).join()})
      group by 1, 2, 3`);
  const posted = (sign: '' | '-', condition: string) =>
    read(`select p.partner_id, p.environment, p.currency, ${sign}sum(p.amount_cents) as sum
      from ledger_postings p join ledger_entries e on e.id = p.entry_id
      left join orders o on o.id = e.order_id
      where p.partner_id = any(:partners) and ${condition} group by 1, 2, 3`);
  const ofSale = `p.account = 'sales' and o.payment_model <> 'merchant_of_record'`;
  expect(await issued('invoice', 'credit_note')).toEqual(await posted('-', ofSale));
  expect(await issued('receipt')).toEqual(await posted('-', `${ofSale} and e.kind = 'sale'`));
  expect(await issued('statement')).toEqual(
    await posted('', `p.account = 'partner_receivable' and e.kind = 'settlement'`),
  );
  expect(await issued('self_billing')).toEqual(
    await posted(
      '',
      `p.account = 'partner_commission' and exists (
        select 1 from settlement_lines l join settlements s on s.id = l.settlement_id
        where l.order_id = e.order_id and l.kind = e.kind and s.status <> 'closing')`,
    ),
  );
  expect(await issued('payout_advice')).toEqual(
    await posted('-', `p.account = 'cash' and e.kind = 'payout_payment'`),
  );

  const wrong = await runtime.db.knex.raw(
    `select s.* from document_series s left join lateral (
       select count(*) as documents, coalesce(max(number), 0) as newest from documents d
       where (d.environment, d.issuer, d.kind, d.year) = (s.environment, s.issuer, s.kind, s.year)) d on true
     where (d.documents, d.newest) <> (s.last_number, s.last_number)`,
  );
  expect(wrong.rows).toEqual([]);
  const untaxed = await runtime.db.knex.raw(
    `select id from documents d, lateral (select content::jsonb as c) j
     where (c ->> 'totalCents')::bigint <> total_cents
       or (select coalesce(sum((l ->> 'amountCents')::bigint), 0)
           from jsonb_array_elements(c -> 'lines') l) <> total_cents
       or c -> 'tax' <> 'null' and (c -> 'tax' ->> 'netCents')::bigint + tax_cents <> total_cents`,
  );
  expect(untaxed.rows).toEqual([]);
}

/**
 * Books and domains agree: nobody has both the money and the domain unless staff decided so, and what a buyer
 * paid to people is owed back exactly once.
 */
async function expectDomains(runtime: TestRuntime, market: Marketplace): Promise<void> {
  const { rows } = await runtime.db.knex.raw(
    `select o.id, o.status in ('REFUNDED', 'CANCELLED') as "takenBack", l.status as listing,
       coalesce(t.cancellation is not null, false) as held, r.amount_cents as repaid
     from orders o left join listings l on l.id = o.listing_id
     left join transfers t on t.order_id = o.id
     left join buyer_repayments r on r.order_id = o.id
     where o.id = any(?)`,
    [market.orders.map(({ id }) => id)],
  );
  const found = new Map(rows.map((row: { id: string }) => [row.id, row]));
  for (const order of market.orders) {
    const { takenBack, hasLeft, decision, undecided, model } = order;
    if (takenBack?.kind === 'refund' && hasLeft) expect(decision).toBe('approve');
    const isOurs = takenBack?.kind === 'refund' && decision !== 'approve';
    const backIn = order.offMarket ? 'delisted' : 'listed';
    expect(found.get(order.id)).toMatchObject({
      takenBack: takenBack !== null,
      held: undecided,
      ...(model !== 'brokerage' && { listing: isOurs ? backIn : 'sold' }),
      repaid: model === 'brokerage' && takenBack ? order.priceCents : null,
    });
  }
}

async function expectStatementsEqualLines(runtime: TestRuntime, market: Marketplace) {
  const { rows } = await runtime.db.knex.raw(
    `select s.id, s.amount_owed_cents as stated, s.gross_sold_cents as gross,
       coalesce(json_agg(json_build_object('kind', l.kind, 'price', l.sale_price_cents,
         'owed', l.amount_owed_cents)) filter (where l.order_id is not null), '[]') as lines
     from settlements s left join settlement_lines l on l.settlement_id = s.id
     where s.partner_id = any(?) and s.status <> 'closing' group by s.id`,
    [partnersOf(market)],
  );
  interface Line {
    kind: string;
    price: number;
    owed: number;
  }
  for (const { lines, stated, gross } of rows as {
    lines: Line[];
    stated: number;
    gross: number;
  }[]) {
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.reduce((sum, line) => sum + line.owed, 0)).toBe(stated);
    const sales = lines.filter((line) => line.kind === 'sale');
    expect(sales.reduce((sum, line) => sum + line.price, 0)).toBe(gross);
  }
}

/** Whatever was settled, paid, failed, or carried forward, what is owed follows from the orders alone. */
async function expectBalances(runtime: TestRuntime, market: Marketplace) {
  const { rows } = await runtime.db.knex.raw(
    `select p.partner_id, p.environment, p.currency, p.account, sum(p.amount_cents) as sum,
       coalesce(sum(p.amount_cents) filter (where e.kind in ('settlement_payment',
         'settlement_payment_reversal')), 0) as settled
     from ledger_postings p join ledger_entries e on e.id = p.entry_id
     where p.partner_id = any(?) group by 1, 2, 3, 4`,
    [partnersOf(market)],
  );
  interface Balance {
    partner_id: string;
    environment: string;
    currency: string;
    account: string;
    sum: number;
    settled: number;
  }
  const balances = rows as Balance[];
  const of = (...accounts: string[]) =>
    summed(
      balances
        .filter(({ account }) => accounts.includes(account))
        .map((row) => [accountKey(row.partner_id, row.environment, row.currency), row.sum]),
    );
  expect(summed(balances.map((row) => [row.environment + row.currency, row.sum]))).toEqual({});

  const live = market.orders.filter((order) => order.takenBack === null);
  const collectedByPartner = live.filter((order) => order.model === 'merchant_of_record');
  const received = balances
    .filter(({ account }) => account === 'cash')
    .map((row): [string, number] => [
      accountKey(row.partner_id, row.environment, row.currency),
      -row.settled,
    ]);
  expect(of('partner_clearing', 'partner_receivable')).toEqual(
    summed([
      ...collectedByPartner.map((order): [string, number] => [
        keyOf(order),
        order.priceCents - order.commissionCents,
      ]),
      ...received,
    ]),
  );
  const collectedByUs = live.filter((order) => order.model !== 'merchant_of_record');
  expect(of('partner_payable', 'payouts_in_transit')).toEqual(
    summed([
      ...collectedByUs.map((order): [string, number] => [keyOf(order), -order.commissionCents]),
      ...market.paidOut,
    ]),
  );
  expect(of('sales')).toEqual(
    summed(live.map((order): [string, number] => [keyOf(order), -order.priceCents])),
  );
}

/** `/transactions` adds up to the notes, in total and for a period. */
export async function expectReports(
  runtime: TestRuntime,
  market: Marketplace,
  stretch: { from: Date | null; to: Date | null },
): Promise<void> {
  const within = (at: Date) =>
    (!stretch.from || at >= stretch.from) && (!stretch.to || at < stretch.to);
  for (const book of market.books) {
    const own = market.orders.filter((order) => order.book === book);
    const told: [currency: string, price: number, commission: number][] = [];
    for (const order of own) {
      const { currency, priceCents, commissionCents, takenBack } = order;
      if (within(order.createdAt)) told.push([currency, priceCents, commissionCents]);
      if (takenBack && within(takenBack.at)) told.push([currency, -priceCents, -commissionCents]);
    }
    const filter = { ...stretch, statuses: null, paymentModels: null };
    const { rows: transactions, totals } = await readTransactions(runtime, book, filter, {
      before: null,
      limit: 100,
    });
    expect(transactions).toHaveLength(told.length);
    const currencies = [...new Set(told.map(([currency]) => currency))].sort();
    expect(totals).toEqual(
      currencies.map((currency) => {
        const rows = told.filter(([its]) => its === currency);
        return {
          currency,
          count: rows.length,
          gmvCents: rows.reduce((sum, [, price]) => sum + price, 0),
          commissionCents: rows.reduce((sum, [, , commission]) => sum + commission, 0),
        };
      }),
    );
  }
}

/** The recent ledger check passes from any point in time. */
export async function expectRecentLaws(runtime: TestRuntime): Promise<void> {
  for (const ago of [HOUR, 10 * DAY]) {
    const since = addMs(runtime.clock.now(), -ago);
    const recent = await runtime.db.transact((uow) => inspectRecent(uow, since));
    expect(recent.imbalances).toEqual([]);
  }
}

/** Once everything due is settled, payouts plus carried amounts equal the delivered orders' commissions. */
export async function expectAllSettled(runtime: TestRuntime, market: Marketplace): Promise<void> {
  const { rows } = await runtime.db.knex.raw(
    `select partner_id, environment, currency, sum(amount_cents) as sum, 'payout' as what from payouts
     where status <> 'failed' and partner_id = any(:partners) group by 1, 2, 3
     union all
     select partner_id, environment, currency, sum(amount_cents), 'carried' from settlement_payables
     where payout_id is null and partner_id = any(:partners) group by 1, 2, 3`,
    { partners: partnersOf(market) },
  );
  const delivered = market.orders.filter(
    ({ model, stage, takenBack }) =>
      model !== 'merchant_of_record' && stage === 'delivered' && takenBack === null,
  );
  expect(
    summed(
      rows.map(
        (row: { partner_id: string; environment: string; currency: string; sum: number }) => [
          accountKey(row.partner_id, row.environment, row.currency),
          row.sum,
        ],
      ),
    ),
  ).toEqual(summed(delivered.map((order) => [keyOf(order), order.commissionCents])));
  const carried = await runtime.db.knex.raw(
    `select 1 from settlement_payables where payout_id is null and partner_id = any(?)
     group by partner_id, environment, currency, source having sum(amount_cents) > 0`,
    [partnersOf(market)],
  );
  expect(carried.rows).toEqual([]);
}
