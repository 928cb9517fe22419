import { ACCOUNTS_BY_KIND } from '../../money/ledger/ledger-entry.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  bigint,
  boolean,
  integer,
  jsonb,
  nullable,
  numeric,
  type RowOf,
  text,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { DOCUMENT_INVARIANTS } from './document-invariants.store.ts';
import { PAYOUT_INVARIANTS, REFERRAL_INVARIANTS } from './payout-invariants.store.ts';
import { RENEWAL_INVARIANTS } from './renewal-invariants.store.ts';
import { PAYMENT_INVARIANTS, PRICE_INVARIANTS, TALLY_INVARIANTS } from './sale-invariants.store.ts';

/** Gives the transaction one snapshot of the database; must be its first statement. */
export const setSnapshotIsolation = defineStatement({
  text: 'set transaction isolation level repeatable read',
});

/** Raises the transaction's statement timeout, for checks of the whole ledger. */
export const setLongTimeout = defineStatement({ text: `set local statement_timeout = '1h'` });

/** Selects the newest check without violations, full or incremental. */
export const selectLastCleanCheck = defineStatement({
  row: { at: timestamptz },
  text: 'select at from ledger_checks where ok order by id desc limit 1',
});

/** Selects a row if the ledger has more than `count` entries. */
export const selectEntryBeyond = defineStatement({
  params: { count: bigint },
  row: { found: integer },
  text: 'select 1 as found from ledger_entries offset :count limit 1',
});

/** Counts the entries of the ledger. */
export const countEntries = defineStatement({
  row: { entries: bigint },
  text: 'select count(*) as entries from ledger_entries',
});

const VIOLATION = {
  subject: text,
  problem: text,
  expected: nullable(numeric),
  actual: nullable(numeric),
};
/** A violation: the subject, the problem, and the expected and actual amounts. */
export type Violation = RowOf<typeof VIOLATION>;

const CHECK = {
  at: timestamptz,
  /** The start of the checked period; null for the whole ledger. */
  since: nullable(timestamptz),
  ok: boolean,
  entries: bigint,
  imbalances: jsonb<(Violation & { check: InvariantName })[]>(),
};

/** Stores the result of a check. */
export const insertCheck = defineStatement({
  params: CHECK,
  text: `insert into ledger_checks (at, since, ok, entries, imbalances)
    values (:at, :since, :ok, :entries, :imbalances)`,
});

/** Selects the latest checks, newest first. */
export const selectChecks = defineStatement({
  params: { limit: bigint },
  row: CHECK,
  text: `select at, since, ok, entries, imbalances from ledger_checks order by id desc limit :limit`,
});

/**
 * The invariants of the ledger, each as a query for its violations. Columns: subject, problem, expected, actual. Each
 * query is a few scans and hash joins, however many orders there are.
 */
const INVARIANTS = {
  /** Debits equal credits over all entries. */
  ledger_sums_to_zero: `
    select environment || '/' || currency as subject, 'the ledger does not sum to zero' as problem,
      0 as expected, sum(amount_cents) as actual
    from ledger_postings group by environment, currency having sum(amount_cents) <> 0`,

  /** Every entry has at least two lines and sums to zero. */
  entries_balance: `
    select e.id as subject, 'the entry does not balance' as problem, 0 as expected,
      coalesce(p.off, 0) as actual
    from ledger_entries e
    left join (
      select entry_id, sum(lines) as lines, max(abs(total)) as off
      from (select entry_id, count(*) as lines, sum(amount_cents) as total
            from ledger_postings group by entry_id, currency) c
      group by entry_id) p on p.entry_id = e.id
    where p.entry_id is null or p.lines < 2 or p.off <> 0`,

  /** A posting belongs to the partner and environment of its entry. */
  postings_follow_their_entry: `
    select e.id as subject, 'a posting names another partner or environment' as problem,
      null::bigint as expected, null::bigint as actual
    from ledger_entries e join ledger_postings p on p.entry_id = e.id
    where p.environment <> e.environment or p.partner_id is distinct from e.partner_id`,

  /** An entry posts only to the accounts of its kind. */
  entries_use_their_accounts: `
    select e.id as subject, 'the entry posts to ' || p.account || ', which is no account of a ' || e.kind
        as problem, null::bigint as expected, p.amount_cents as actual
    from ledger_entries e join ledger_postings p on p.entry_id = e.id
    where (e.kind, p.account) not in (values ${Object.entries(ACCOUNTS_BY_KIND)
      .flatMap(([kind, accounts]) => accounts.map((account) => `('${kind}', '${account}')`))
      .join(', ')})`,

  /**
   * Every order has one sale entry with the amounts of its snapshot, and one exact reversal if and only
   * if it was refunded, canceled or clawed back.
   */
  orders_match_their_entries: `
    with wanted as (
      select id, 'sale' as side, partner_id, environment, currency, 1 as sign, payment_model,
        sale_price_cents as price, commission_cents as commission from orders
      union all
      select id, 'reversal', partner_id, environment, currency, -1, payment_model,
        sale_price_cents, commission_cents from orders where status in ('REFUNDED', 'CANCELLED')),
    wanted_lines as (
      select w.id, w.side, w.partner_id, w.environment, w.currency,
        w.sign * case when w.payment_model = 'merchant_of_record' then w.price - w.commission else 0 end
          as clearing,
        w.sign * case when w.payment_model = 'merchant_of_record' then 0 else w.price end as cash,
        w.sign * case when w.payment_model = 'merchant_of_record' then 0 else -w.commission end as payable,
        w.sign * w.commission as commission, w.sign * -w.price as sales
      from wanted w),
    posted as (
      select e.order_id as id, case e.kind when 'sale' then 'sale' else 'reversal' end as side,
        count(distinct e.id) as entries, min(p.currency) as currency, max(p.currency) as other_currency,
        min(p.partner_id) as partner_id, min(p.environment) as environment,
        coalesce(sum(p.amount_cents) filter (where p.account = 'partner_clearing'), 0) as clearing,
        coalesce(sum(p.amount_cents) filter (where p.account = 'cash'), 0) as cash,
        coalesce(sum(p.amount_cents) filter (where p.account = 'partner_payable'), 0) as payable,
        coalesce(sum(p.amount_cents) filter (where p.account = 'partner_commission'), 0) as commission,
        coalesce(sum(p.amount_cents) filter (where p.account = 'sales'), 0) as sales
      from ledger_entries e join ledger_postings p on p.entry_id = e.id
      where e.kind in ('sale', 'refund', 'clawback') group by 1, 2)
    select coalesce(w.id, l.id, '(none)') as subject,
      case when w.id is null then 'an entry (' || l.side || ') that no order explains'
           when l.id is null then 'the order has no ' || w.side || ' entry'
           when l.entries <> 1 then 'the order has several ' || w.side || ' entries'
           else 'the ' || w.side || ' entry differs from the order' end as problem,
      -w.sales as expected, -l.sales as actual
    from wanted_lines w full join posted l on l.id = w.id and l.side = w.side
    where w.id is null or l.id is null or l.entries <> 1 or l.currency <> w.currency
      or l.other_currency <> w.currency or l.partner_id <> w.partner_id or l.environment <> w.environment
      or (l.clearing, l.cash, l.payable, l.commission, l.sales)
         <> (w.clearing, w.cash, w.payable, w.commission, w.sales)`,

  /**
   * An order has a sale line in the statement that it names, and in no other; a clawback line reverses the sale line
   * of a refunded order. Both match the order.
   */
  lines_match_their_orders: `
    with due as (
      select id, status, settlement_id, payment_model, sale_price_cents as price,
        commission_cents as commission, case payment_model when 'merchant_of_record'
          then sale_price_cents - commission_cents else 0 end as owed
      from orders)
    select coalesce(o.id, l.order_id) as subject, 'the sale line differs from its order' as problem,
      o.owed as expected, l.amount_owed_cents as actual
    from (select * from due where settlement_id is not null or status = 'SETTLED') o
    full join (select * from settlement_lines where kind = 'sale') l on l.order_id = o.id
    where l.order_id is null or o.id is null or l.settlement_id is distinct from o.settlement_id
      or (l.sale_price_cents, l.commission_cents, l.amount_owed_cents) <> (o.price, o.commission, o.owed)
    union all
    select l.order_id, 'the clawback line differs from its order', -o.owed, l.amount_owed_cents
    from settlement_lines l join due o on o.id = l.order_id
    where l.kind = 'clawback' and (o.status <> 'REFUNDED' or o.settlement_id is null
      or (l.sale_price_cents, l.commission_cents, l.amount_owed_cents)
         <> (-o.price, -o.commission, -o.owed))`,

  /** A statement's figures are the sums of its lines, and its lines have its partner and currency. */
  statements_match_their_lines: `
    select s.id as subject, 'the statement differs from its lines' as problem,
      coalesce(l.owed, 0) as expected, s.amount_owed_cents as actual
    from settlements s
    left join (
      select l.settlement_id, count(*) filter (where l.kind = 'sale') as orders,
        coalesce(sum(l.sale_price_cents) filter (where l.kind = 'sale'), 0) as gross,
        coalesce(sum(l.commission_cents) filter (where l.kind = 'sale'
          and l.payment_model = 'merchant_of_record'), 0) as commission,
        coalesce(sum(l.amount_owed_cents) filter (where l.kind = 'clawback'), 0) as adjustments,
        sum(l.amount_owed_cents) as owed, min(o.partner_id) as partner_a, max(o.partner_id) as partner_b,
        min(o.currency) as currency_a, max(o.currency) as currency_b,
        min(o.environment) as environment_a, max(o.environment) as environment_b
      from settlement_lines l join orders o on o.id = l.order_id group by l.settlement_id) l
      on l.settlement_id = s.id
    where s.status <> 'closing' and (l.settlement_id is null
      or (s.orders_count, s.gross_sold_cents, s.commission_retained_cents, s.adjustments_cents,
          s.amount_owed_cents) <> (l.orders, l.gross, l.commission, l.adjustments, l.owed)
      or (l.partner_a, l.currency_a, l.environment_a) <> (s.partner_id, s.currency, s.environment)
      or (l.partner_b, l.currency_b, l.environment_b) <> (s.partner_id, s.currency, s.environment))`,

  /**
   * A closed statement has posted its amount once, a paid one has settled it once, and nothing else has. A returned
   * payment nets to zero; the entries of later payments append the payment's number to the statement's id.
   */
  statements_match_the_ledger: `
    with posted as (
      select split_part(e.reference, '#', 1) as id, count(distinct e.id) filter (where e.kind = 'settlement') as closes,
        coalesce(sum(p.amount_cents) filter (where e.kind = 'settlement'
          and p.account = 'partner_receivable'), 0) as closed,
        coalesce(sum(p.amount_cents) filter (where e.kind = 'settlement'
          and p.account = 'partner_clearing'), 0) as cleared,
        coalesce(sum(p.amount_cents) filter (where e.kind <> 'settlement'
          and p.account = 'cash'), 0) as paid,
        coalesce(sum(p.amount_cents) filter (where e.kind <> 'settlement'
          and p.account = 'partner_receivable'), 0) as received,
        count(distinct e.id) filter (where e.kind = 'settlement_payment') as payments,
        count(distinct e.id) filter (where e.kind = 'settlement_payment_reversal') as returned,
        min(p.currency) as currency_a, max(p.currency) as currency_b,
        min(e.partner_id) as partner_a, max(e.partner_id) as partner_b
      from ledger_entries e join ledger_postings p on p.entry_id = e.id
      where e.kind in ('settlement', 'settlement_payment', 'settlement_payment_reversal') group by 1),
    wanted as (
      select id, partner_id, currency, case when status = 'closing' then 0 else amount_owed_cents end as closed,
        case when status = 'paid' then amount_owed_cents else 0 end as paid,
        case when amount_owed_cents = 0 then 0 else payment_reversals end as returned,
        case when amount_owed_cents = 0 then 0
          else payment_reversals + (status = 'paid')::int end as payments
      from settlements)
    select coalesce(w.id, l.id) as subject,
      case when w.id is null then 'a settlement entry without its statement'
           else 'the ledger differs from the statement' end as problem,
      w.closed as expected, l.closed as actual
    from wanted w full join posted l on l.id = w.id
    where w.id is null
      or (w.closed, -w.closed, w.paid, -w.paid)
         <> (coalesce(l.closed, 0), coalesce(l.cleared, 0), coalesce(l.paid, 0), coalesce(l.received, 0))
      or (w.payments, w.returned) <> (coalesce(l.payments, 0), coalesce(l.returned, 0))
      or (l.currency_a, l.partner_a) <> (w.currency, w.partner_id)
      or (l.currency_b, l.partner_b) <> (w.currency, w.partner_id)`,

  /** What a partner has collected without a statement yet matches its orders, to the cent. */
  clearing_matches_the_orders: `
    with wanted as (
      select partner_id, environment, currency, sum(amount) as amount from (
        select partner_id, environment, currency, sale_price_cents - commission_cents as amount
        from orders where payment_model = 'merchant_of_record' and status not in ('REFUNDED', 'CANCELLED')
        union all
        select partner_id, environment, currency, -amount_owed_cents from settlements
        where status <> 'closing') a
      group by partner_id, environment, currency),
    posted as (
      select partner_id, environment, currency, sum(amount_cents) as amount
      from ledger_postings where account = 'partner_clearing'
      group by partner_id, environment, currency)
    select coalesce(w.partner_id, l.partner_id) || '/' || coalesce(w.environment, l.environment) || '/'
        || coalesce(w.currency, l.currency) as subject,
      'the clearing balance differs from the orders without a statement' as problem,
      coalesce(w.amount, 0) as expected, coalesce(l.amount, 0) as actual
    from wanted w full join posted l on l.partner_id = w.partner_id
      and l.environment = w.environment and l.currency = w.currency
    where coalesce(w.amount, 0) <> coalesce(l.amount, 0)`,

  ...PRICE_INVARIANTS,
  ...PAYMENT_INVARIANTS,
  ...RENEWAL_INVARIANTS,
  ...PAYOUT_INVARIANTS,
  ...REFERRAL_INVARIANTS,
  ...TALLY_INVARIANTS,
  ...DOCUMENT_INVARIANTS,
} as const;

export type InvariantName = keyof typeof INVARIANTS;
export const INVARIANT_NAMES = Object.keys(INVARIANTS) as InvariantName[];

/** Queries for parts of tables, by the names of the tables that they replace in an invariant's query. */
export type TableSubset = Readonly<Record<string, string>>;

/** Returns the query for up to `limit` violations of an invariant, over the whole ledger or over these parts. */
export function violationsOf(check: InvariantName, subset: TableSubset = {}) {
  const parts = Object.entries(subset).map(([table, part]) => `${table} as (${part})`);
  return {
    params: { limit: bigint },
    row: VIOLATION,
    text: `${parts.length > 0 ? `with ${parts.join(', ')}` : ''}
      select subject, problem, expected::numeric, actual::numeric
      from (${INVARIANTS[check]}) found order by subject limit :limit`,
  };
}

/** Selects up to `limit` violations of each invariant over the whole ledger. */
export const selectViolations = variantsOf(INVARIANT_NAMES, (check) =>
  defineStatement(violationsOf(check)),
);
