import { addMs, DAY } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  date,
  json,
  nullable,
  text,
  textOf,
  timestamptz,
  timestamptzText,
} from '../../platform/database/sql-types.ts';
import {
  ORDER_STATUSES,
  type OrderStatus,
  PAYMENT_MODELS,
  type PaymentModel,
} from '../../sales/orders/order.ts';
import type {
  Transaction,
  TransactionFilter,
  TransactionOwner,
  TransactionPage,
  TransactionTotals,
} from './transaction.ts';

/** A time range; the end is exclusive, null means unbounded. */
export interface TimeRange {
  from: Date | null;
  to: Date | null;
}

/** A time range as whole UTC days, and the partial days at its ends. */
export interface SplitRange {
  /** Null if there is no whole day. */
  days: TimeRange | null;
  edges: TimeRange[];
}

/** The last day of the year 9999, after which years have five digits. */
const LAST_DAY = new Date('9999-12-31');

/** Splits a time range, so that whole days are read from tallies and only the partial days from rows. */
export function splitWholeDays({ from, to }: TimeRange): SplitRange {
  const first = from && new Date(Math.ceil(from.getTime() / DAY) * DAY);
  const last = to && new Date(Math.floor(to.getTime() / DAY) * DAY);
  if ((first && last && first >= last) || (first && first > LAST_DAY)) {
    // Less than a day, two adjacent partial days, or the last supported day.
    return { days: null, edges: [{ from, to }] };
  }
  const edges: TimeRange[] = [];
  if (from && first && from < first) edges.push({ from, to: first });
  if (to && last && last < to) edges.push({ from: last, to });
  return { days: { from: first, to: last }, edges };
}

const AMOUNTS_BACK = `-o.sale_price_cents as price, -o.commission_cents as commission`;
/** The final statuses of reversed orders. */
const REVERSED: readonly OrderStatus[] = ['REFUNDED', 'CANCELLED'];
const ORDER = `o.id as order_id, o.domain, o.status, o.payment_model, o.currency`;

/** All orders, or only those with certain statuses, or also certain payment models. */
const SCOPES = ['all', 'ofStatuses', 'ofModels'] as const;
/** Where a page starts: at the beginning, or after the sale or reversal at the end of the previous page. */
const STARTS = ['first', 'afterSale', 'afterReversal'] as const;
type Scope = (typeof SCOPES)[number];
type Start = (typeof STARTS)[number];

/**
 * Filters reversals by their orders. Reversals of a payment model, which may be rare, are found by the orders' index,
 * which the condition on the order's partner lets the planner use. All others are the newest refunds.
 */
const REVERSED_IN: Readonly<Record<Scope, string>> = {
  all: '',
  ofStatuses: 'and o.status = any(:reversed)',
  ofModels: `and o.partner_id = :partnerId and o.environment = :environment
         and o.status = any(:reversed) and o.payment_model = any(:models)`,
};

/**
 * Writes the query for the newest rows of a filter. One index serves every filter: by time alone, or with a short scan
 * for each requested status and payment model.
 */
function pageSql(scope: Scope, start: Start): string {
  const within = (at: string) => `${at} >= :from and ${at} < :to`;
  // A reversal comes before its order's sale at the same instant, so that sale is on a later page.
  const before = (at: string, id: string, op: '<' | '<=') =>
    start === 'first' ? '' : `and (${at}, ${id}) ${op} (:beforeAt, :beforeId::text)`;
  const sales = `select ${ORDER}, o.created_at as at, 0 as rank, 'sale' as type,
      o.sale_price_cents as price, o.commission_cents as commission
    from orders o
    where o.partner_id = :partnerId and o.environment = :environment and ${within('o.created_at')}
      ${before('o.created_at', 'o.id', start === 'afterReversal' ? '<=' : '<')}`;
  const newest = 'order by o.created_at desc, o.id desc limit :limit';
  const found =
    scope !== 'all'
      ? `select s.* from unnest(:statuses::text[]) as w (status), unnest(:models::text[]) as m (model),
           lateral (${sales} and o.status = w.status and o.payment_model = m.model ${newest}) s`
      : `(${sales} ${newest})`;
  return `page as (
    select t.* from (
      ${found}
      union all
      (select ${ORDER}, r.created_at, 1, case r.kind when 'clawback' then 'clawback' else 'refund' end,
         ${AMOUNTS_BACK}
       from refunds r join orders o on o.id = r.order_id
       where r.partner_id = :partnerId and r.environment = :environment
         ${REVERSED_IN[scope]}
         and ${within('r.created_at')}
         ${before('r.created_at', 'r.order_id', '<')}
       order by r.created_at desc, r.order_id desc limit :limit)) t
    order by t.at desc, t.order_id desc, t.rank desc limit :limit)`;
}

/** The tallies of whole days, and the rows of partial days. */
const TOTALS = `totals as (
    select currency, sum(transactions) as count, sum(gmv) as gmv, sum(commission) as commission
    from (
      select currency, transactions, gmv_cents as gmv, commission_cents as commission
      from transaction_tallies where ${ofDays()}
      union all
      select currency, transactions, gmv_cents, commission_cents from transaction_deltas where ${ofDays()}
      union all
      select o.currency, 1, o.sale_price_cents, o.commission_cents
      from unnest(:edgeFrom::timestamptz[], :edgeTo::timestamptz[]) as e (since, until)
        join orders o on o.created_at >= e.since and o.created_at < e.until
      where o.partner_id = :partnerId and o.environment = :environment
        and o.status = any(:statuses) and o.payment_model = any(:models)
      union all
      select o.currency, 1, ${AMOUNTS_BACK}
      from unnest(:edgeFrom::timestamptz[], :edgeTo::timestamptz[]) as e (since, until)
        join refunds r on r.created_at >= e.since and r.created_at < e.until
        join orders o on o.id = r.order_id
      where r.partner_id = :partnerId and r.environment = :environment
        and o.status = any(:statuses) and o.payment_model = any(:models)) t
    group by currency having sum(transactions) <> 0)`;

function ofDays(): string {
  return `partner_id = :partnerId and environment = :environment and :anyDay
    and day >= :dayFrom and day < :dayTo
    and status = any(:statuses) and payment_model = any(:models)`;
}

const ROW = `json_build_object('id', e.id, 'orderId', p.order_id, 'domain', p.domain, 'type', p.type,
    'status', p.status, 'paymentModel', p.payment_model, 'salePriceCents', p.price,
    'commissionCents', p.commission, 'currency', p.currency,
    'createdAt', (extract(epoch from p.at) * 1000)::bigint)`;
const PAGE_ROWS = `(select coalesce(json_agg(${ROW} order by p.at desc, p.order_id desc, p.rank desc), '[]')
  from page p join ledger_entries e on e.kind = p.type and e.reference = p.order_id)`;
const TOTAL_ROWS = `(select coalesce(json_agg(json_build_object('currency', currency, 'count', count,
  'gmvCents', gmv, 'commissionCents', commission) order by currency), '[]') from totals)`;

const PAGE_PARAMS = {
  partnerId: text,
  environment: textOf<Environment>(),
  /** Infinite for an unbounded range, so that one plan serves all calls. */
  from: timestamptzText,
  to: timestamptzText,
  statuses: arrayOf(textOf<OrderStatus>()),
  models: arrayOf(textOf<PaymentModel>()),
  /** The requested statuses that reversed orders can have. */
  reversed: arrayOf(textOf<OrderStatus>()),
  beforeAt: nullable(timestamptz),
  beforeId: nullable(text),
  limit: bigint,
};
const TOTAL_PARAMS = {
  anyDay: boolean,
  dayFrom: date,
  dayTo: date,
  /** The partial days. */
  edgeFrom: arrayOf(timestamptzText),
  edgeTo: arrayOf(timestamptzText),
};

/** A transaction as JSON, with the time in milliseconds since 1970. */
type TransactionJson = Omit<Transaction, 'createdAt'> & { createdAt: number };

/** Without a filter, one plan serves all calls; with a filter, the plan depends on how many rows match. */
const planOf = (scope: Scope) => (scope === 'all' ? { plan: 'once' as const } : {});

/** Selects a page of transactions, newest first, and the totals over the whole filter, as of one instant. */
export const selectTransactionsWithTotals = variantsOf(SCOPES, (scope) =>
  variantsOf(STARTS, (start) =>
    defineStatement({
      params: { ...PAGE_PARAMS, ...TOTAL_PARAMS },
      row: { transactions: json<TransactionJson[]>(), totals: json<TransactionTotals[]>() },
      text: `with ${pageSql(scope, start)}, ${TOTALS}
        select ${PAGE_ROWS} as transactions, ${TOTAL_ROWS} as totals`,
      ...planOf(scope),
    }),
  ),
);

/** Selects a page of transactions without totals. */
export const selectTransactions = variantsOf(SCOPES, (scope) =>
  variantsOf(STARTS, (start) =>
    defineStatement({
      params: PAGE_PARAMS,
      row: { transactions: json<TransactionJson[]>() },
      text: `with ${pageSql(scope, start)} select ${PAGE_ROWS} as transactions`,
      ...planOf(scope),
    }),
  ),
);

/**
 * Folds up to `limit` of the oldest deltas into the tallies and returns how many. A reader sees a delta
 * or its tally, never both or none.
 */
export const foldDeltas = defineStatement({
  params: { limit: bigint },
  row: { folded: bigint },
  text: `with taken as (
      delete from transaction_deltas where id in (
        select id from transaction_deltas order by id limit :limit for update skip locked)
      returning *),
    folded as (
      insert into transaction_tallies as t (partner_id, environment, day, status, payment_model, currency,
        transactions, gmv_cents, commission_cents)
      select partner_id, environment, day, status, payment_model, currency, sum(transactions),
        sum(gmv_cents), sum(commission_cents)
      from taken group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
      on conflict (partner_id, environment, day, status, payment_model, currency) do update
        set transactions = t.transactions + excluded.transactions,
          gmv_cents = t.gmv_cents + excluded.gmv_cents,
          commission_cents = t.commission_cents + excluded.commission_cents)
    select count(*) as folded from taken`,
});

/** Returns a page of transactions, newest first, and the totals over the whole filter, as of one instant. */
export async function readTransactions(
  sql: Sql,
  owner: TransactionOwner,
  filter: TransactionFilter,
  page: TransactionPage,
): Promise<{ transactions: Transaction[]; totals: TransactionTotals[] }> {
  const statement = selectTransactionsWithTotals[scopeOf(filter)][startOf(page)];
  const { transactions, totals } = await statement.one(sql, {
    ...pageParams(owner, filter, page),
    ...totalParams(filter),
  });
  return { transactions: transactions.map(fromJson), totals };
}

/** Returns a page of transactions without totals. */
export async function readPage(
  sql: Sql,
  owner: TransactionOwner,
  filter: TransactionFilter,
  page: TransactionPage,
): Promise<Transaction[]> {
  const statement = selectTransactions[scopeOf(filter)][startOf(page)];
  const { transactions } = await statement.one(sql, pageParams(owner, filter, page));
  return transactions.map(fromJson);
}

function scopeOf({ statuses, paymentModels }: TransactionFilter): Scope {
  if (paymentModels) return 'ofModels';
  return statuses ? 'ofStatuses' : 'all';
}

function startOf({ before }: TransactionPage): Start {
  if (!before) return 'first';
  return before.reversal ? 'afterReversal' : 'afterSale';
}

function pageParams(owner: TransactionOwner, filter: TransactionFilter, page: TransactionPage) {
  const statuses = filter.statuses ?? ORDER_STATUSES;
  return {
    partnerId: owner.partnerId,
    environment: owner.environment,
    from: filter.from?.toISOString() ?? '-infinity',
    to: upTo(filter, page)?.toISOString() ?? 'infinity',
    statuses,
    models: filter.paymentModels ?? PAYMENT_MODELS,
    reversed: statuses.filter((status) => REVERSED.includes(status)),
    beforeAt: page.before?.createdAt ?? null,
    beforeId: page.before?.orderId ?? null,
    limit: page.limit,
  };
}

/**
 * Returns the page's exclusive upper time bound: Postgres starts reading at this bound, and skips only rows that the
 * pair of time and ID excludes.
 */
function upTo({ to }: TransactionFilter, { before }: TransactionPage): Date | null {
  const last = before && addMs(before.createdAt, 1);
  return last && (!to || last < to) ? last : to;
}

function totalParams(filter: TransactionFilter) {
  const { days, edges } = splitWholeDays(filter);
  return {
    anyDay: days !== null,
    dayFrom: days?.from?.toISOString().slice(0, 10) ?? '-infinity',
    dayTo: days?.to?.toISOString().slice(0, 10) ?? 'infinity',
    edgeFrom: edges.map((edge) => edge.from?.toISOString() ?? '-infinity'),
    edgeTo: edges.map((edge) => edge.to?.toISOString() ?? 'infinity'),
  };
}

function fromJson(row: TransactionJson): Transaction {
  return { ...row, createdAt: new Date(row.createdAt) };
}
