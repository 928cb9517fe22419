import type { Environment } from '../../platform/config/config.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { type Cents, Money } from '../../platform/money.ts';
import type { OrderStatus } from '../orders/order.ts';
import type { Refund, RefundRequest, UndecidedRefund } from './refund.ts';

/** The refund of an order that is taken back now: the time of the row is that of the books. */
export async function insertRefund(
  tx: Tx,
  refund: Omit<Refund, 'createdAt'> & { completedAt: Date },
): Promise<void> {
  await tx.raw(
    `insert into refunds (id, order_id, partner_id, environment, kind, amount_cents, currency, reason, note,
       requested_by, created_at)
     values (:id, :orderId, :partnerId, :environment, :kind, :amountCents, :currency, :reason, :note,
       :requestedBy, :completedAt)`,
    { ...refund, amountCents: refund.amount.amount, currency: refund.amount.currency },
  );
}

export async function insertRequest(tx: Tx, request: RefundRequest): Promise<void> {
  await tx.raw(
    `insert into refund_requests (id, order_id, partner_id, environment, status, reason, note, requested_by,
       created_at)
     values (:id, :orderId, :partnerId, :environment, 'pending', :reason, :note, :requestedBy, :createdAt)`,
    { ...request },
  );
}

/** Ends an order's pending request; undefined when it has none. */
export async function closeRequest(
  tx: Tx,
  orderId: string,
  status: 'completed' | 'declined',
  now: Date,
): Promise<RefundRequest | undefined> {
  const { rows } = await tx.raw(
    `update refund_requests set status = :status, closed_at = :now
     where order_id = :orderId and status = 'pending'
     returning id, order_id as "orderId", partner_id as "partnerId", environment, reason, note,
       requested_by as "requestedBy", created_at as "createdAt"`,
    { orderId, status, now },
  );
  return rows[0];
}

/** The refunds that wait for a decision of staff, the longest waiting first. */
export async function listUndecided(sql: Sql, limit: number): Promise<UndecidedRefund[]> {
  const { rows } = await sql.raw(
    `select r.id, r.order_id as "orderId", r.partner_id as "partnerId", r.environment, r.reason, r.note,
       r.requested_by as "requestedBy", r.created_at as "createdAt", o.domain, p.name as "partnerName",
       o.sale_price_cents as "amountCents", o.currency, t.cancellation as cause,
       t.status as "transferStatus", t.updated_at as since
     from transfers t
     join refund_requests r on r.order_id = t.order_id and r.status = 'pending'
     join orders o on o.id = t.order_id
     join partners p on p.id = o.partner_id
     where t.cancellation is not null and t.cancellation in ('too_late', 'unanswered')
     order by t.updated_at, r.id limit :limit`,
    { limit },
  );
  return rows.map(({ amountCents, currency, ...rest }: UndecidedRow) => ({
    ...rest,
    amount: new Money(amountCents, currency),
  }));
}

type UndecidedRow = Omit<UndecidedRefund, 'amount'> & { amountCents: Cents; currency: string };

/** An order of a domain, as far as it says whether the domain is ours to sell. */
export interface DomainClaim {
  orderId: string;
  status: OrderStatus;
  /** Not taken back. */
  isLive: boolean;
  /** The registrar has moved the domain for it, as its transfer or, of earlier versions, the audit trail says. */
  hasLeft: boolean;
}

/** The orders of a domain (A-labels) that are live or for which it has left, the newest first. */
export async function findClaims(
  tx: Tx,
  environment: Environment,
  domain: string,
): Promise<DomainClaim[]> {
  const { rows } = await tx.raw(
    `select * from (
       select o.id as "orderId", o.status, o.status not in ('REFUNDED', 'CANCELLED') as "isLive",
         coalesce(t.status in ('awaiting_confirmation', 'completed'), false)
           or exists (select 1 from audit_log a where a.subject = o.id
                and a.action = 'transfer:cancel-push' and a.after ->> 'result' = 'too_late') as "hasLeft"
       from orders o left join transfers t on t.order_id = o.id
       where o.environment = :environment and o.domain = :domain) claims
     where "isLive" or "hasLeft" order by "orderId" desc`,
    { environment, domain },
  );
  return rows;
}
