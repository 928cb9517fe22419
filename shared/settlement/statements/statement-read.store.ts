import { type DocumentInRow, documentsColumn } from '../../messaging/documents/read-documents.ts';
import type { SettlementPeriod } from '../../people/partners/partner.ts';
import type { Environment } from '../../platform/config/config.ts';
import { ID_PAGE, idPageSql } from '../../platform/database/id-page.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  double,
  integer,
  json,
  nullable,
  numeric,
  outerJoined,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { LIST_SORTS } from '../../platform/page.ts';
import type { PaymentModel } from '../../sales/orders/order.ts';
import { TOTALS } from './statement.store.ts';
import type {
  LineKind,
  Statement,
  StatementLine,
  StatementOwner,
  StatementStatus,
  StatementTotals,
} from './statement.ts';

/** The end of the running period, by kind. */
type PeriodEnds = Readonly<Record<SettlementPeriod, Date>>;

/** The totals of the running period in a currency so far. */
export interface RunningTotals extends StatementTotals {
  currency: string;
  kind: SettlementPeriod;
  newestEnd: Date | null;
}

const TOTAL_NAMES = `orders_count as "ordersCount", gross as "grossSoldCents",
  commission as "commissionRetainedCents", adjustments as "adjustmentsCents", owed as "amountOwedCents"`;

/** The partner's kind of period, and the latest delivery time for its running period. */
const PARTNER_CUTOFF = `
  me as (
    select p.settlement_period as kind, case p.settlement_period when 'monthly' then :monthly::timestamptz
        when 'semi_monthly' then :semiMonthly::timestamptz else :weekly::timestamptz end
      - make_interval(secs => :delaySeconds) as delivered_by
    from partners p where p.id = :partnerId)`;

/** The amount the partner owes: the price less its commission if the partner collected it, else 0. */
const owed = (row: string) => `case ${row}.payment_model when 'merchant_of_record'
    then ${row}.sale_price_cents - ${row}.commission_cents else 0 end`;

/** The lines of delivered orders that the running period would include if it closed at its end. */
const RUNNING_SALE_LINES = `
  select o.id as order_id, 'sale' as kind, o.currency, o.domain, o.payment_model, o.sale_price_cents,
    o.commission_cents, o.transfer_completed_at as occurred_at, ${owed('o')} as amount_owed_cents
  from orders o, me
  where o.partner_id = :partnerId and o.environment = :environment and o.settlement_id is null
    and o.transfer_completed_at <= me.delivered_by`;

/** Like {@link RUNNING_SALE_LINES}, for clawbacks. */
const RUNNING_CLAWBACK_LINES = `
  select o.id as order_id, 'clawback' as kind, o.currency, o.domain, o.payment_model,
    -o.sale_price_cents as sale_price_cents, -o.commission_cents as commission_cents,
    r.created_at as occurred_at, -(${owed('o')}) as amount_owed_cents
  from refunds r join orders o on o.id = r.order_id, me
  where r.partner_id = :partnerId and r.environment = :environment and r.kind = 'clawback'
    and (o.settlement_id is not null or o.transfer_completed_at <= me.delivered_by)
    and not exists (select 1 from settlement_lines c
                    where c.order_id = r.order_id and c.kind = 'clawback')`;

/**
 * The sums of the running lines by currency: the tallies of whole days, and the orders themselves for the partial
 * day, so that the time does not grow with the number of unsettled orders.
 */
const RUNNING_SUMS = `
  cut as (
    select delivered_by, date_trunc('day', delivered_by, 'UTC') as day_begins,
      (delivered_by at time zone 'UTC')::date as day
    from me),
  kept as (
    select currency, payment_model, orders, gross_cents, commission_cents from unsettled_tallies, cut
    where partner_id = :partnerId and environment = :environment and unsettled_tallies.day < cut.day
    union all
    select currency, payment_model, orders, gross_cents, commission_cents from unsettled_deltas, cut
    where partner_id = :partnerId and environment = :environment and unsettled_deltas.day < cut.day
    union all
    select o.currency, o.payment_model, 1, o.sale_price_cents, o.commission_cents
    from orders o, cut
    where o.partner_id = :partnerId and o.environment = :environment and o.settlement_id is null
      and o.transfer_completed_at >= cut.day_begins and o.transfer_completed_at <= cut.delivered_by),
  sums as (
    select currency, sum(orders)::int as orders_count, sum(gross_cents) as gross,
      coalesce(sum(commission_cents) filter (where payment_model = 'merchant_of_record'), 0) as commission,
      0 as adjustments,
      coalesce(sum(gross_cents - commission_cents) filter (where payment_model = 'merchant_of_record'), 0)
        as owed
    from kept group by currency having sum(orders) <> 0
    union all
    select l.currency, 0, 0, 0, sum(l.amount_owed_cents), sum(l.amount_owed_cents)
    from (${RUNNING_CLAWBACK_LINES}) l group by l.currency)`;

/** The line sums of a statement `s` that is being closed. The inner condition avoids reading the lines of others. */
const TOTALS_SO_FAR = `left join lateral (
      select ${TOTALS} from settlement_lines l where l.settlement_id = s.id and s.status = 'closing') t
    on s.status = 'closing'`;

export interface RunningScope {
  ends: PeriodEnds;
  delayMs: number;
}

const OWNER = { partnerId: text, environment: textOf<Environment>() };
const RUNNING = {
  ...OWNER,
  monthly: timestamptz,
  semiMonthly: timestamptz,
  weekly: timestamptz,
  delaySeconds: double,
};

const runningParams = (owner: StatementOwner, scope: RunningScope) => ({
  partnerId: owner.partnerId,
  environment: owner.environment,
  monthly: scope.ends.monthly,
  semiMonthly: scope.ends.semi_monthly,
  weekly: scope.ends.weekly,
  delaySeconds: scope.delayMs / 1_000,
});

/** In minor units, except for the count. */
const TOTALS_ROW = {
  ordersCount: integer,
  grossSoldCents: numeric,
  commissionRetainedCents: numeric,
  adjustmentsCents: numeric,
  amountOwedCents: numeric,
};

export interface StatementFilter {
  from: Date | null;
  to: Date | null;
  statuses: readonly StatementStatus[] | null;
  /** The ID of the last stored statement of the previous page. */
  before: string | null;
  limit: number;
}

const STATEMENT_ROW = {
  row: textOf<'running' | 'stored'>(),
  /** Null in a running statement, like the next two fields. */
  id: nullable(text),
  periodStart: nullable(timestamptz),
  periodEnd: nullable(timestamptz),
  currency: text,
  status: textOf<StatementStatus>(),
  ...TOTALS_ROW,
  closedAt: nullable(timestamptz),
  dueAt: nullable(timestamptz),
  /** Null in a stored statement. */
  kind: nullable(textOf<SettlementPeriod>()),
  newestEnd: nullable(timestamptz),
};

/**
 * Selects stored statements, newest first, and the running period, in one query. A partner with
 * nothing in its running period gets one empty running row.
 */
export const selectStatements = defineStatement({
  params: {
    ...RUNNING,
    from: nullable(timestamptz),
    to: nullable(timestamptz),
    statuses: nullable(arrayOf(textOf<StatementStatus>())),
    before: nullable(text),
    limit: bigint,
  },
  row: STATEMENT_ROW,
  text: `with ${PARTNER_CUTOFF}, ${RUNNING_SUMS},
     running as (
       select currency, sum(orders_count)::int as orders_count, sum(gross) as gross,
         sum(commission) as commission, sum(adjustments) as adjustments, sum(owed) as owed
       from sums group by currency
       union all
       select coalesce((select s.currency from settlements s where s.partner_id = :partnerId
                        and s.environment = :environment order by s.id desc limit 1), 'USD'), 0, 0, 0, 0, 0
       where not exists (select 1 from sums)),
     stored as (
       select s.*, case s.status when 'closing' then 'open' else s.status end as shown from settlements s
       where s.partner_id = :partnerId and s.environment = :environment
         and (:before::text is null or s.id < :before)
         and (:from::timestamptz is null or s.period_start >= :from)
         and (:to::timestamptz is null or s.period_start < :to)
         and (:statuses::text[] is null
              or case s.status when 'closing' then 'open' else s.status end = any(:statuses))
       order by s.id desc limit :limit)
     select 'running' as row, null as id, r.currency, null::timestamptz as "periodStart",
       null::timestamptz as "periodEnd", 'open' as status, ${TOTAL_NAMES}, null::timestamptz as "closedAt",
       null::timestamptz as "dueAt", me.kind,
       (select s.period_end from settlements s
        where s.partner_id = :partnerId and s.environment = :environment and s.currency = r.currency
        order by s.period_start desc limit 1) as "newestEnd"
     from running r, me
     union all
     select 'stored', s.id, s.currency, s.period_start, s.period_end, s.shown,
       coalesce(t.orders_count, s.orders_count), coalesce(t.gross, s.gross_sold_cents),
       coalesce(t.commission, s.commission_retained_cents), coalesce(t.adjustments, s.adjustments_cents),
       coalesce(t.owed, s.amount_owed_cents), s.closed_at, s.due_at, null, null
     from stored s
     ${TOTALS_SO_FAR}
     order by 2 desc`,
  plan: 'once',
});

const UNPAID = {
  currency: text,
  statements: integer,
  amountCents: numeric,
  overdue: integer,
  overdueCents: numeric,
  /** The earliest due date. */
  dueAt: nullable(timestamptz),
};
/** A partner's debt from its closed statements in a currency. */
export type UnpaidStatements = RowOf<typeof UNPAID>;

/** Selects a partner's unpaid closed statements by currency; without those that we owe. */
export const selectUnpaid = defineStatement({
  params: { ...OWNER, now: timestamptz },
  row: UNPAID,
  text: `select currency, count(*)::int as statements, sum(amount_owed_cents) as "amountCents",
      count(*) filter (where due_at < :now)::int as overdue,
      coalesce(sum(amount_owed_cents) filter (where due_at < :now), 0) as "overdueCents", min(due_at) as "dueAt"
    from settlements
    where partner_id = :partnerId and environment = :environment and status = 'closed' and amount_owed_cents > 0
    group by currency order by currency`,
});
/** The line after which a page of lines starts. */
export interface LinePosition {
  occurredAt: Date;
  orderId: string;
  kind: LineKind;
}

const LINE = `l.order_id as "orderId", l.kind, l.domain, l.payment_model as "paymentModel",
  l.sale_price_cents as "salePriceCents", l.commission_cents as "commissionCents",
  l.amount_owed_cents as "amountOwedCents", l.occurred_at as "occurredAt"`;
const LINE_ROW = {
  orderId: text,
  kind: textOf<LineKind>(),
  domain: text,
  paymentModel: textOf<PaymentModel>(),
  salePriceCents: bigint,
  commissionCents: bigint,
  amountOwedCents: bigint,
  occurredAt: timestamptz,
};
const AFTER_LINE = {
  afterAt: nullable(timestamptz),
  afterOrder: nullable(text),
  afterKind: nullable(textOf<LineKind>()),
};

const after = (at: string, orderId: string, kind: string) => `(:afterAt::timestamptz is null
  or (${at}, ${orderId}, ${kind}) > (:afterAt, :afterOrder::text, :afterKind::text))`;
const afterParams = (after: LinePosition | null) => ({
  afterAt: after?.occurredAt ?? null,
  afterOrder: after?.orderId ?? null,
  afterKind: after?.kind ?? null,
});

/** Selects a stored statement with each line of a page, oldest first; one row without a line if the page is empty. */
export const selectStatementLines = defineStatement({
  params: { id: text, ...OWNER, ...AFTER_LINE, limit: bigint },
  row: {
    id: text,
    statementCurrency: text,
    periodStart: timestamptz,
    periodEnd: timestamptz,
    status: textOf<StatementStatus>(),
    ordersCount: integer,
    grossSoldCents: numeric,
    commissionRetainedCents: numeric,
    adjustmentsCents: numeric,
    totalOwedCents: numeric,
    closedAt: nullable(timestamptz),
    dueAt: nullable(timestamptz),
    ...outerJoined(LINE_ROW),
  },
  text: `select s.id, s.currency as "statementCurrency", s.period_start as "periodStart",
      s.period_end as "periodEnd", case s.status when 'closing' then 'open' else s.status end as status,
      coalesce(t.orders_count, s.orders_count) as "ordersCount",
      coalesce(t.gross, s.gross_sold_cents) as "grossSoldCents",
      coalesce(t.commission, s.commission_retained_cents) as "commissionRetainedCents",
      coalesce(t.adjustments, s.adjustments_cents) as "adjustmentsCents",
      coalesce(t.owed, s.amount_owed_cents) as "totalOwedCents",
      s.closed_at as "closedAt", s.due_at as "dueAt", ${LINE.replaceAll('l.', 'x.')}
    from settlements s
    ${TOTALS_SO_FAR}
    left join lateral (
      select l.* from settlement_lines l
      where l.settlement_id = s.id and ${after('l.occurred_at', 'l.order_id', 'l.kind')}
      order by l.occurred_at, l.order_id, l.kind limit :limit) x on true
    where s.id = :id and s.partner_id = :partnerId and s.environment = :environment
    order by x.occurred_at, x.order_id, x.kind`,
});

/** Selects a page of the running period's lines in a currency, oldest first. */
export const selectRunningLines = defineStatement({
  params: { ...RUNNING, ...AFTER_LINE, currency: text, limit: bigint },
  row: LINE_ROW,
  text: `with ${PARTNER_CUTOFF}
    select ${LINE} from (
      (${RUNNING_SALE_LINES}
         and o.currency = :currency
         and (:afterAt::timestamptz is null or o.transfer_completed_at >= :afterAt)
         and ${after('o.transfer_completed_at', 'o.id', `'sale'`)}
       order by o.transfer_completed_at, o.id limit :limit)
      union all
      (${RUNNING_CLAWBACK_LINES}
         and o.currency = :currency and ${after('r.created_at', 'o.id', `'clawback'`)}
       order by r.created_at, o.id limit :limit)) l
    order by l.occurred_at, l.order_id, l.kind limit :limit`,
});

/** The stored status, in which a statement that is being closed is `closing`. */
export type StoredStatus = 'closing' | 'closed' | 'paid';

const STORED = {
  id: text,
  ...OWNER,
  currency: text,
  periodStart: timestamptz,
  periodEnd: timestamptz,
  ordersCount: integer,
  grossSoldCents: bigint,
  commissionRetainedCents: bigint,
  adjustmentsCents: bigint,
  amountOwedCents: bigint,
  closedAt: nullable(timestamptz),
  dueAt: nullable(timestamptz),
};

/** Selects stored statements of any partner, oldest period first. */
export const selectStatementsById = defineStatement({
  params: { ids: arrayOf(text) },
  row: { ...STORED, status: textOf<StatementStatus>() },
  text: `select id, partner_id as "partnerId", environment, currency, period_start as "periodStart",
      period_end as "periodEnd", status, orders_count as "ordersCount",
      gross_sold_cents as "grossSoldCents", commission_retained_cents as "commissionRetainedCents",
      adjustments_cents as "adjustmentsCents", amount_owed_cents as "amountOwedCents",
      closed_at as "closedAt", due_at as "dueAt"
    from settlements where id = any(:ids) order by period_start, id`,
});

const OPS_STATEMENT = {
  ...STORED,
  partnerName: text,
  status: textOf<StoredStatus>(),
  paidAt: nullable(timestamptz),
  paymentReference: nullable(text),
};
/** A stored statement for operators. */
export type OpsStatement = RowOf<typeof OPS_STATEMENT>;

const SELECT_FOR_OPS = `select s.id, s.partner_id as "partnerId", p.name as "partnerName", s.environment, s.currency,
    s.period_start as "periodStart", s.period_end as "periodEnd", s.status,
    s.orders_count as "ordersCount", s.gross_sold_cents as "grossSoldCents",
    s.commission_retained_cents as "commissionRetainedCents", s.adjustments_cents as "adjustmentsCents",
    s.amount_owed_cents as "amountOwedCents", s.closed_at as "closedAt", s.due_at as "dueAt",
    s.paid_at as "paidAt", s.payment_reference as "paymentReference"
  from settlements s join partners p on p.id = s.partner_id`;

/** Filters the statements of all partners; null means all. */
export interface OpsStatementFilter {
  status: StoredStatus | null;
  environment: Environment | null;
  partnerId: string | null;
}

/** Selects a page of the statements of all partners. */
export const selectStatementsForOps = variantsOf(LIST_SORTS, (sort) =>
  defineStatement({
    params: {
      status: nullable(textOf<StoredStatus>()),
      environment: nullable(textOf<Environment>()),
      partnerId: nullable(text),
      ...ID_PAGE,
    },
    row: OPS_STATEMENT,
    text: `${SELECT_FOR_OPS}
      where (:status::text is null or s.status = :status)
        and (:environment::text is null or s.environment = :environment)
        and (:partnerId::text is null or s.partner_id = :partnerId) and ${idPageSql('s.id', sort)}`,
  }),
);

/** Selects a stored statement of any partner, with its documents. */
export const selectStatementForOps = defineStatement({
  params: { id: text },
  row: { ...OPS_STATEMENT, documents: json<DocumentInRow[]>() },
  text: `select s.*, ${documentsColumn('s.id')} as documents from (${SELECT_FOR_OPS} where s.id = :id) s`,
});

/** Returns stored statements and the running period, see {@link selectStatements}. */
export async function readStatements(
  sql: Sql,
  owner: StatementOwner,
  filter: StatementFilter,
  running: RunningScope,
): Promise<{ running: RunningTotals[]; stored: Statement[] }> {
  const rows = await selectStatements.all(sql, { ...filter, ...runningParams(owner, running) });
  return {
    running: rows.filter(isRunning).sort((a, b) => (a.currency < b.currency ? -1 : 1)),
    stored: rows
      .filter(isStored)
      .map(({ row: _row, kind: _kind, newestEnd: _end, ...statement }) => ({
        ...owner,
        ...statement,
      })),
  };
}

type StatementRow = RowOf<typeof STATEMENT_ROW>;

function isRunning(row: StatementRow): row is StatementRow & { kind: SettlementPeriod } {
  return row.row === 'running';
}

function isStored(
  row: StatementRow,
): row is StatementRow & { id: string; periodStart: Date; periodEnd: Date } {
  return row.row === 'stored';
}

/** Returns a stored statement with a page of its lines, oldest first, from one query. */
export async function readStatement(
  sql: Sql,
  owner: StatementOwner,
  id: string,
  page: { after: LinePosition | null; limit: number },
): Promise<{ statement: Statement; lines: StatementLine[] } | undefined> {
  const rows = await selectStatementLines.all(sql, {
    id,
    partnerId: owner.partnerId,
    environment: owner.environment,
    limit: page.limit,
    ...afterParams(page.after),
  });
  const [first] = rows;
  if (!first) return undefined;
  return {
    statement: {
      ...owner,
      id: first.id,
      currency: first.statementCurrency,
      periodStart: first.periodStart,
      periodEnd: first.periodEnd,
      status: first.status,
      ordersCount: first.ordersCount,
      grossSoldCents: first.grossSoldCents,
      commissionRetainedCents: first.commissionRetainedCents,
      adjustmentsCents: first.adjustmentsCents,
      amountOwedCents: first.totalOwedCents,
      closedAt: first.closedAt,
      dueAt: first.dueAt,
    },
    lines: rows.filter(isLine),
  };
}

type LineRow = RowOf<typeof LINE_ROW>;

function isLine<Row extends { orderId: string | null }>(row: Row): row is Row & LineRow {
  return row.orderId !== null;
}

/** Returns a page of the running period's lines in a currency, oldest first. */
export function readRunningLines(
  sql: Sql,
  owner: StatementOwner,
  currency: string,
  page: { after: LinePosition | null; limit: number },
  running: RunningScope,
): Promise<StatementLine[]> {
  return selectRunningLines.all(sql, {
    ...runningParams(owner, running),
    ...afterParams(page.after),
    currency,
    limit: page.limit,
  });
}
