import type { SettlementPeriod } from '../../people/partners/partner.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { Money } from '../../platform/money.ts';
import type { PaymentModel } from '../../sales/orders/order.ts';
import type { StatementLine, StatementOwner } from './statement.ts';
import type { Period } from './statement-period.ts';

/** Only one transaction at a time settles for a partner and environment; the lock ends with it. */
export async function lockPartnerSettlements(tx: Tx, owner: StatementOwner): Promise<void> {
  await tx.raw(`select pg_advisory_xact_lock(hashtextextended(:name, 0))`, {
    name: `settlements/${owner.partnerId}/${owner.environment}`,
  });
}

/** A statement on its way from `closing` to `closed`. */
export interface ClosingStatement extends StatementOwner {
  id: string;
  currency: string;
  periodEnd: Date;
}

const CLOSING = `id, partner_id as "partnerId", environment, currency, period_end as "periodEnd"`;

/** The statement that an earlier close left half done. */
export async function findClosing(
  tx: Tx,
  owner: StatementOwner,
): Promise<ClosingStatement | undefined> {
  const { rows } = await tx.raw(
    `select ${CLOSING} from settlements
     where partner_id = :partnerId and environment = :environment and status = 'closing'`,
    { partnerId: owner.partnerId, environment: owner.environment },
  );
  return rows[0];
}

export async function isClosing(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await tx.raw(`select 1 from settlements where id = :id and status = 'closing'`, {
    id,
  });
  return rows.length > 0;
}

export async function insertClosing(
  tx: Tx,
  statement: ClosingStatement & { period: Period; now: Date },
): Promise<void> {
  await tx('settlements').insert({
    id: statement.id,
    partner_id: statement.partnerId,
    environment: statement.environment,
    currency: statement.currency,
    period_start: statement.period.start,
    period_end: statement.period.end,
    status: 'closing',
    created_at: statement.now,
  });
}

/** Something that waits for a statement, by currency. */
export interface DueWork {
  currency: string;
  /** When the earliest of it became due. */
  firstWork: Date;
  /** Where the newest statement of the currency ends. */
  newestEnd: Date | null;
}

/** What is due for a statement at `cut`: delivered orders past their delay, and clawbacks of settled ones. */
export async function findDueWork(
  tx: Tx,
  owner: StatementOwner,
  at: { cut: Date; delayMs: number },
): Promise<DueWork[]> {
  const { rows } = await tx.raw(
    `with due as (
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
    {
      partnerId: owner.partnerId,
      environment: owner.environment,
      cut: at.cut,
      deliveredBy: new Date(at.cut.getTime() - at.delayMs),
      delaySeconds: at.delayMs / 1_000,
    },
  );
  return rows;
}

/** A clawback of a sale that is in a statement, in no statement itself. */
const OPEN_CLAWBACK = `r.partner_id = :partnerId and r.environment = :environment and r.kind = 'clawback'
  and exists (select 1 from settlement_lines s where s.order_id = r.order_id and s.kind = 'sale')
  and not exists (select 1 from settlement_lines c where c.order_id = r.order_id and c.kind = 'clawback')`;

export async function insertSaleLines(
  tx: Tx,
  settlementId: string,
  lines: readonly StatementLine[],
): Promise<void> {
  await tx.raw(
    `insert into settlement_lines (order_id, kind, settlement_id, domain, payment_model,
       sale_price_cents, commission_cents, amount_owed_cents, occurred_at)
     select l.order_id, 'sale', :settlementId, l.domain, l.payment_model, l.price, l.commission, l.owed,
       l.occurred_at
     from unnest(:orderIds::text[], :domains::text[], :models::text[], :prices::bigint[],
       :commissions::bigint[], :owed::bigint[], :occurred::timestamptz[])
       as l (order_id, domain, payment_model, price, commission, owed, occurred_at)`,
    {
      settlementId,
      orderIds: lines.map((line) => line.orderId),
      domains: lines.map((line) => line.domain),
      models: lines.map((line) => line.paymentModel),
      prices: lines.map((line) => line.salePriceCents),
      commissions: lines.map((line) => line.commissionCents),
      owed: lines.map((line) => line.amountOwedCents),
      occurred: lines.map((line) => line.occurredAt),
    },
  );
}

/** Takes up to `limit` clawbacks back, each the exact opposite of its sale's line; returns how many. */
export async function insertClawbackLines(
  tx: Tx,
  statement: ClosingStatement,
  limit: number,
): Promise<number> {
  const result = await tx.raw(
    `insert into settlement_lines (order_id, kind, settlement_id, domain, payment_model,
       sale_price_cents, commission_cents, amount_owed_cents, occurred_at)
     select r.order_id, 'clawback', :id, sale.domain, sale.payment_model, -sale.sale_price_cents,
       -sale.commission_cents, -sale.amount_owed_cents, r.created_at
     from refunds r join settlement_lines sale on sale.order_id = r.order_id and sale.kind = 'sale'
     where ${OPEN_CLAWBACK} and r.created_at <= :periodEnd and r.currency = :currency
     order by r.created_at, r.order_id limit :limit`,
    { ...statement, limit },
  );
  return result.rowCount ?? 0;
}

/** The sums that a statement shows, over the rows of a line table. */
export const TOTALS = `count(*) filter (where l.kind = 'sale')::int as orders_count,
  coalesce(sum(l.sale_price_cents) filter (where l.kind = 'sale'), 0) as gross,
  coalesce(sum(l.commission_cents) filter (where l.kind = 'sale'
    and l.payment_model = 'merchant_of_record'), 0) as commission,
  coalesce(sum(l.amount_owed_cents) filter (where l.kind = 'clawback'), 0) as adjustments,
  coalesce(sum(l.amount_owed_cents), 0) as owed`;

/** Sums the lines into the statement and closes it; undefined when it was not closing. */
export async function closeStatement(
  tx: Tx,
  id: string,
  at: { now: Date; dueAt: Date },
): Promise<{ amountOwed: Money; lines: number } | undefined> {
  const { rows } = await tx.raw(
    `update settlements s set status = 'closed', orders_count = t.orders_count,
       gross_sold_cents = t.gross, commission_retained_cents = t.commission,
       adjustments_cents = t.adjustments, amount_owed_cents = t.owed, closed_at = :now, due_at = :dueAt
     from (select ${TOTALS}, count(*) as lines from settlement_lines l where l.settlement_id = :id) t
     where s.id = :id and s.status = 'closing'
     returning s.currency, s.amount_owed_cents as "amountOwedCents", t.lines`,
    { id, ...at },
  );
  if (!rows[0]) return undefined;
  const { currency, amountOwedCents, lines } = rows[0];
  return { amountOwed: new Money(amountOwedCents, currency), lines };
}

type CollectedSource = Exclude<PaymentModel, 'merchant_of_record'>;

interface CommissionRow {
  source: CollectedSource;
  currency: string;
  amountCents: number;
}

/** The commissions that we owe for a statement's lines, by who collected; negative for clawbacks. */
export async function sumCommissions(
  tx: Tx,
  id: string,
): Promise<{ source: CollectedSource; amount: Money }[]> {
  const { rows } = await tx.raw(
    `select l.payment_model as source, s.currency, sum(l.commission_cents) as "amountCents"
     from settlement_lines l join settlements s on s.id = l.settlement_id
     where s.id = :id and l.payment_model <> 'merchant_of_record'
     group by l.payment_model, s.currency order by l.payment_model`,
    { id },
  );
  return rows.map(({ source, currency, amountCents }: CommissionRow) => ({
    source,
    amount: new Money(amountCents, currency),
  }));
}

export async function deleteEmpty(tx: Tx, id: string): Promise<void> {
  await tx.raw(
    `delete from settlements s where s.id = :id
       and not exists (select 1 from settlement_lines l where l.settlement_id = s.id)`,
    { id },
  );
}

export async function findSettlementPeriod(
  sql: Sql,
  partnerId: string,
): Promise<SettlementPeriod | undefined> {
  const { rows } = await sql.raw(`select settlement_period from partners where id = :partnerId`, {
    partnerId,
  });
  return rows[0]?.settlement_period;
}

export interface PayableStatement extends StatementOwner {
  id: string;
  status: 'closing' | 'closed' | 'paid';
  amountOwed: Money;
  paidAt: Date | null;
  paymentReference: string | null;
  /** What the bank calls the last return of a payment. */
  reversalReference: string | null;
  /** How many payments came back. */
  paymentReversals: number;
}

/** A statement of any partner, locked. */
export async function lockStatement(tx: Tx, id: string): Promise<PayableStatement | undefined> {
  const { rows } = await tx.raw(
    `select id, partner_id as "partnerId", environment, currency, status,
       amount_owed_cents as "amountOwedCents", paid_at as "paidAt", payment_reference as "paymentReference",
       reversal_reference as "reversalReference", payment_reversals as "paymentReversals"
     from settlements where id = :id for update`,
    { id },
  );
  if (!rows[0]) return undefined;
  const { amountOwedCents, currency, ...rest } = rows[0];
  return { ...rest, amountOwed: new Money(amountOwedCents, currency) };
}

export async function markPaid(
  tx: Tx,
  id: string,
  at: { now: Date; reference: string },
): Promise<void> {
  await tx.raw(
    `update settlements set status = 'paid', paid_at = :now, payment_reference = :reference
     where id = :id`,
    { id, ...at },
  );
}

/** The payment came back. */
export async function markUnpaid(tx: Tx, id: string, reference: string): Promise<void> {
  await tx.raw(
    `update settlements set status = 'closed', paid_at = null, payment_reference = null,
       reversal_reference = :reference, payment_reversals = payment_reversals + 1
     where id = :id`,
    { id, reference },
  );
}

/**
 * Whether an earlier payment of a statement that came back, or such a return, had this reference. A statement
 * keeps the last ones alone; the audit trail has them all.
 */
export async function isReusedReference(
  tx: Tx,
  id: string,
  of: 'payment' | 'return',
  reference: string,
): Promise<boolean> {
  const { rows } = await tx.raw(
    `select exists (
       select 1 from audit_log where subject = :id and action = 'settlement:reverse-payment'
         and case :of::text when 'payment' then before else after end ->> 'reference' = :reference) as known`,
    { id, of, reference },
  );
  return rows[0].known;
}

/**
 * Folds up to `limit` of the oldest changes of what is unsettled into the tallies and returns how many. A
 * reader sees a change or its tally, never both or none.
 */
export async function foldUnsettledDeltas(sql: Sql, limit: number): Promise<number> {
  const { rows } = await sql.raw(
    `with taken as (
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
    { limit },
  );
  return rows[0].folded;
}
