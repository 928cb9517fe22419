import type { SettlementPeriod } from '../../people/partners/partner.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Tx } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  double,
  integer,
  nothing,
  nullable,
  numeric,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { Money } from '../../platform/money.ts';
import type { PaymentModel } from '../../sales/orders/order.ts';
import type { StatementLine, StatementOwner } from './statement.ts';

const OWNER = { partnerId: text, environment: textOf<Environment>() };

/** Waits until no other transaction settles for a partner and environment; locks until the transaction ends. */
export const selectPartnerLock = defineStatement({
  params: OWNER,
  row: { pg_advisory_xact_lock: nothing },
  text: `select pg_advisory_xact_lock(
      hashtextextended('settlements/' || :partnerId::text || '/' || :environment::text, 0))`,
});

const CLOSING = { id: text, ...OWNER, currency: text, periodEnd: timestamptz };
/** A statement that is being closed. */
export type ClosingStatement = RowOf<typeof CLOSING>;

/** Selects the statement that an earlier close left unfinished. */
export const selectClosing = defineStatement({
  params: OWNER,
  row: CLOSING,
  text: `select id, partner_id as "partnerId", environment, currency, period_end as "periodEnd"
    from settlements
    where partner_id = :partnerId and environment = :environment and status = 'closing'`,
});

/** Selects a statement's ID if it is still being closed. */
export const selectStillClosing = defineStatement({
  params: { id: text },
  row: { id: text },
  text: `select id from settlements where id = :id and status = 'closing'`,
});

/** Inserts a statement that is about to be closed, without lines. */
export const insertClosing = defineStatement({
  params: { ...CLOSING, periodStart: timestamptz, now: timestamptz },
  text: `insert into settlements (id, partner_id, environment, currency, period_start, period_end, status,
      created_at)
    values (:id, :partnerId, :environment, :currency, :periodStart, :periodEnd, 'closing', :now)`,
});

/** A clawback that is not on a statement, of a sale that is. */
const OPEN_CLAWBACK = `r.partner_id = :partnerId and r.environment = :environment and r.kind = 'clawback'
  and exists (select 1 from settlement_lines s where s.order_id = r.order_id and s.kind = 'sale')
  and not exists (select 1 from settlement_lines c where c.order_id = r.order_id and c.kind = 'clawback')`;

const DUE_WORK = {
  currency: text,
  /** When the earliest item became due. */
  firstWork: timestamptz,
  /** The end of the newest statement in the currency. */
  newestEnd: nullable(timestamptz),
};
/** Work that waits for a statement, by currency. */
export type DueWork = RowOf<typeof DUE_WORK>;

/** Selects work due at `cut`: delivered orders past their delay, and clawbacks of settled orders. */
export const selectDueWork = defineStatement({
  params: { ...OWNER, cut: timestamptz, deliveredBy: timestamptz, delaySeconds: double },
  row: DUE_WORK,
  text: `with due as (
      select currency, min(transfer_completed_at) + make_interval(secs => :delaySeconds) as at
      from orders
      where partner_id = :partnerId and environment = :environment and settlement_id is null
        and transfer_completed_at <= :deliveredBy
      group by currency
      union all
      select r.currency, min(r.created_at) from refunds r
      where ${OPEN_CLAWBACK} and r.created_at <= :cut
      group by r.currency)
    select d.currency, min(d.at) as "firstWork",
      (select s.period_end from settlements s
       where s.partner_id = :partnerId and s.environment = :environment and s.currency = d.currency
       order by s.period_start desc limit 1) as "newestEnd"
    from due d group by d.currency order by d.currency`,
});

/** Inserts the lines of sales; the arrays have one element per line. Amounts are in minor units. */
export const insertSaleLines = defineStatement({
  params: {
    settlementId: text,
    orderIds: arrayOf(text),
    domains: arrayOf(text),
    models: arrayOf(textOf<PaymentModel>()),
    prices: arrayOf(bigint),
    commissions: arrayOf(bigint),
    owed: arrayOf(bigint),
    occurred: arrayOf(timestamptz),
  },
  text: `insert into settlement_lines (order_id, kind, settlement_id, domain, payment_model,
      sale_price_cents, commission_cents, amount_owed_cents, occurred_at)
    select l.order_id, 'sale', :settlementId, l.domain, l.payment_model, l.price, l.commission, l.owed,
      l.occurred_at
    from unnest(:orderIds::text[], :domains::text[], :models::text[], :prices::bigint[],
      :commissions::bigint[], :owed::bigint[], :occurred::timestamptz[])
      as l (order_id, domain, payment_model, price, commission, owed, occurred_at)`,
});

/** Inserts lines for up to `limit` clawbacks, each the exact opposite of its sale's line. */
export const insertClawbackLines = defineStatement({
  params: { ...CLOSING, limit: bigint },
  text: `insert into settlement_lines (order_id, kind, settlement_id, domain, payment_model,
      sale_price_cents, commission_cents, amount_owed_cents, occurred_at)
    select r.order_id, 'clawback', :id, sale.domain, sale.payment_model, -sale.sale_price_cents,
      -sale.commission_cents, -sale.amount_owed_cents, r.created_at
    from refunds r join settlement_lines sale on sale.order_id = r.order_id and sale.kind = 'sale'
    where ${OPEN_CLAWBACK} and r.created_at <= :periodEnd and r.currency = :currency
    order by r.created_at, r.order_id limit :limit`,
});

/** The sums of a statement, over the rows of a line table `l`. */
export const TOTALS = `count(*) filter (where l.kind = 'sale')::int as orders_count,
  coalesce(sum(l.sale_price_cents) filter (where l.kind = 'sale'), 0) as gross,
  coalesce(sum(l.commission_cents) filter (where l.kind = 'sale'
    and l.payment_model = 'merchant_of_record'), 0) as commission,
  coalesce(sum(l.amount_owed_cents) filter (where l.kind = 'clawback'), 0) as adjustments,
  coalesce(sum(l.amount_owed_cents), 0) as owed`;

/** Sums the lines into the statement and closes it; no row if it was not being closed. */
export const updateClosed = defineStatement({
  params: { id: text, now: timestamptz, dueAt: timestamptz },
  row: { currency: text, amountOwedCents: bigint, lines: bigint },
  text: `update settlements s set status = 'closed', orders_count = t.orders_count,
      gross_sold_cents = t.gross, commission_retained_cents = t.commission,
      adjustments_cents = t.adjustments, amount_owed_cents = t.owed, closed_at = :now, due_at = :dueAt
    from (select ${TOTALS}, count(*) as lines from settlement_lines l where l.settlement_id = :id) t
    where s.id = :id and s.status = 'closing'
    returning s.currency, s.amount_owed_cents as "amountOwedCents", t.lines`,
});

/** Selects the commissions of a statement's lines, by payment model; negative for clawbacks. */
export const selectCommissions = defineStatement({
  params: { id: text },
  row: { model: textOf<PaymentModel>(), currency: text, amountCents: numeric, lines: bigint },
  text: `select l.payment_model as model, s.currency, sum(l.commission_cents) as "amountCents",
      count(*) as lines
    from settlement_lines l join settlements s on s.id = l.settlement_id
    where s.id = :id
    group by l.payment_model, s.currency order by l.payment_model`,
});

/** Deletes a statement that has no lines. */
export const deleteEmpty = defineStatement({
  params: { id: text },
  text: `delete from settlements s where s.id = :id
      and not exists (select 1 from settlement_lines l where l.settlement_id = s.id)`,
});

/** Selects a partner's kind of settlement period; no row if there is no such partner. */
export const selectSettlementPeriod = defineStatement({
  params: { partnerId: text },
  row: { kind: textOf<SettlementPeriod>() },
  text: 'select settlement_period as kind from partners where id = :partnerId',
});

const PAYABLE = {
  id: text,
  ...OWNER,
  currency: text,
  status: textOf<'closing' | 'closed' | 'paid'>(),
  amountOwedCents: bigint,
  paidAt: nullable(timestamptz),
  paymentReference: nullable(text),
  /** The bank's reference of the last returned payment. */
  reversalReference: nullable(text),
  /** The number of returned payments. */
  paymentReversals: integer,
};

/** Selects a statement of any partner, locked until the transaction ends. */
export const selectForUpdate = defineStatement({
  params: { id: text },
  row: PAYABLE,
  text: `select id, partner_id as "partnerId", environment, currency, status,
      amount_owed_cents as "amountOwedCents", paid_at as "paidAt", payment_reference as "paymentReference",
      reversal_reference as "reversalReference", payment_reversals as "paymentReversals"
    from settlements where id = :id for update`,
});

/** Marks a statement as paid, with the payment's reference. */
export const updatePaid = defineStatement({
  params: { id: text, now: timestamptz, reference: text },
  text: `update settlements set status = 'paid', paid_at = :now, payment_reference = :reference
    where id = :id`,
});

/** Reopens a statement whose payment was returned, with the reference of the return. */
export const updateUnpaid = defineStatement({
  params: { id: text, reference: text },
  text: `update settlements set status = 'closed', paid_at = null, payment_reference = null,
      reversal_reference = :reference, payment_reversals = payment_reversals + 1
    where id = :id`,
});

/**
 * Selects whether a returned payment of a statement, or its return, had this reference. A statement
 * stores only the last references; the audit trail has all of them.
 */
export const selectReferenceUse = defineStatement({
  params: { id: text, of: textOf<'payment' | 'return'>(), reference: text },
  row: { isUsed: boolean },
  text: `select exists (
      select 1 from audit_log where subject = :id and action = 'settlement:reverse-payment'
        and case :of::text when 'payment' then before else after end ->> 'reference' = :reference)
      as "isUsed"`,
});

/**
 * Folds up to `limit` of the oldest unsettled changes into the tallies and returns how many. A
 * reader sees a change or its tally, never both or none.
 */
export const foldUnsettledDeltas = defineStatement({
  params: { limit: bigint },
  row: { folded: bigint },
  text: `with taken as (
      delete from unsettled_deltas where id in (
        select id from unsettled_deltas order by id limit :limit for update skip locked)
      returning *),
    folded as (
      insert into unsettled_tallies as t (partner_id, environment, day, payment_model, currency, orders,
        gross_cents, commission_cents)
      select partner_id, environment, day, payment_model, currency, sum(orders), sum(gross_cents),
        sum(commission_cents)
      from taken group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
      on conflict (partner_id, environment, day, payment_model, currency) do update
        set orders = t.orders + excluded.orders, gross_cents = t.gross_cents + excluded.gross_cents,
          commission_cents = t.commission_cents + excluded.commission_cents)
    select count(*) as folded from taken`,
});

/** Returns the work due at `cut`, see {@link selectDueWork}. */
export function readDueWork(
  tx: Tx,
  { partnerId, environment }: StatementOwner,
  { cut, delayMs }: { cut: Date; delayMs: number },
): Promise<DueWork[]> {
  return selectDueWork.all(tx, {
    partnerId,
    environment,
    cut,
    deliveredBy: new Date(cut.getTime() - delayMs),
    delaySeconds: delayMs / 1_000,
  });
}

/** Adds the lines of sales to a statement. */
export async function writeSaleLines(
  tx: Tx,
  settlementId: string,
  lines: readonly StatementLine[],
): Promise<void> {
  await insertSaleLines.run(tx, {
    settlementId,
    orderIds: lines.map((line) => line.orderId),
    domains: lines.map((line) => line.domain),
    models: lines.map((line) => line.paymentModel),
    prices: lines.map((line) => line.salePriceCents),
    commissions: lines.map((line) => line.commissionCents),
    owed: lines.map((line) => line.amountOwedCents),
    occurred: lines.map((line) => line.occurredAt),
  });
}

/** Sums the lines into the statement and closes it; undefined if it was not being closed. */
export async function closeStatement(
  tx: Tx,
  id: string,
  { now, dueAt }: { now: Date; dueAt: Date },
): Promise<{ amountOwed: Money; lines: number } | undefined> {
  const row = await updateClosed.first(tx, { id, now, dueAt });
  if (!row) return undefined;
  return { amountOwed: new Money(row.amountOwedCents, row.currency), lines: row.lines };
}

/** Returns the commissions of a statement's lines by payment model; negative if clawbacks exceed sales. */
export async function readCommissions(tx: Tx, id: string): Promise<Commission[]> {
  const rows = await selectCommissions.all(tx, { id });
  return rows.map(({ model, currency, amountCents, lines }) => ({
    model,
    lines,
    amount: new Money(amountCents, currency),
  }));
}

/** A partner's commission on the sales of one payment model. */
export interface Commission {
  model: PaymentModel;
  /** The number of the statement's lines with this payment model. */
  lines: number;
  amount: Money;
}

/** A statement with its payment data. */
export interface PayableStatement
  extends Omit<RowOf<typeof PAYABLE>, 'amountOwedCents' | 'currency'> {
  amountOwed: Money;
}

/** Returns a statement of any partner, locked until the transaction ends. */
export async function lockStatement(tx: Tx, id: string): Promise<PayableStatement | undefined> {
  const row = await selectForUpdate.first(tx, { id });
  if (!row) return undefined;
  const { amountOwedCents, currency, ...rest } = row;
  return { ...rest, amountOwed: new Money(amountOwedCents, currency) };
}
