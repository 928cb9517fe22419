import type { Environment } from '../platform/config.ts';
import type { Sql } from '../platform/db.ts';
import type { StatementOwner, StatementTotals } from './settlement.ts';

/** As it is stored: a statement that is being closed shows as that. */
export type StoredStatus = 'closing' | 'closed' | 'paid';

/** A stored statement as ops see it. */
export interface OpsStatement extends StatementOwner, StatementTotals {
  id: string;
  partnerName: string;
  currency: string;
  periodStart: Date;
  periodEnd: Date;
  status: StoredStatus;
  closedAt: Date | null;
  dueAt: Date | null;
  paidAt: Date | null;
  paymentReference: string | null;
}

const SELECT_FOR_OPS = `select s.id, s.partner_id as "partnerId", p.name as "partnerName", s.environment, s.currency,
    s.period_start as "periodStart", s.period_end as "periodEnd", s.status,
    s.orders_count as "ordersCount", s.gross_sold_cents as "grossSoldCents",
    s.commission_retained_cents as "commissionRetainedCents", s.adjustments_cents as "adjustmentsCents",
    s.amount_owed_cents as "amountOwedCents", s.closed_at as "closedAt", s.due_at as "dueAt",
    s.paid_at as "paidAt", s.payment_reference as "paymentReference"
  from settlements s join partners p on p.id = s.partner_id`;

export interface OpsStatementFilter {
  status: StoredStatus | null;
  environment: Environment | null;
  partnerId: string | null;
  /** The id of the last statement of the page before. */
  before: string | null;
  limit: number;
}

/** Statements of all partners, the newest period first. */
export async function listStatementsForOps(
  sql: Sql,
  filter: OpsStatementFilter,
): Promise<OpsStatement[]> {
  const wanted = [
    filter.status !== null && 's.status = :status',
    filter.environment !== null && 's.environment = :environment',
    filter.partnerId !== null && 's.partner_id = :partnerId',
    filter.before !== null && 's.id < :before',
  ].filter((each) => each !== false);
  const { rows } = await sql.raw(
    `${SELECT_FOR_OPS} where ${wanted.length === 0 ? 'true' : wanted.join(' and ')}
     order by s.id desc limit :limit`,
    { ...filter },
  );
  return rows;
}

export async function findStatementForOps(sql: Sql, id: string): Promise<OpsStatement | undefined> {
  const { rows } = await sql.raw(`${SELECT_FOR_OPS} where s.id = :id`, { id });
  return rows[0];
}
