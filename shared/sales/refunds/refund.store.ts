import type { Environment } from '../../platform/config/config.ts';
import type { Pipeline } from '../../platform/database/pipeline.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  bigint,
  boolean,
  integer,
  nullable,
  present,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { Money } from '../../platform/money.ts';
import type { OrderStatus } from '../orders/order.ts';
import type { TransferStatus } from '../transfers/transfer.ts';
import type { Refund, RefundReason, UndecidedRefund } from './refund.ts';

const REQUEST_COLUMNS = `r.id, r.order_id as "orderId", r.partner_id as "partnerId", r.environment, r.reason,
  r.note, r.requested_by as "requestedBy", r.created_at as "createdAt"`;
const REQUEST = {
  id: text,
  orderId: text,
  partnerId: text,
  environment: textOf<Environment>(),
  reason: textOf<RefundReason>(),
  note: nullable(text),
  requestedBy: text,
  createdAt: timestamptz,
};

/** Inserts the refund of an order that is refunded now. The row's time is the booking time. */
export const insertRefund = defineStatement({
  params: {
    id: text,
    orderId: text,
    partnerId: text,
    environment: textOf<Environment>(),
    kind: textOf<Refund['kind']>(),
    amountCents: bigint,
    currency: text,
    reason: textOf<RefundReason>(),
    note: nullable(text),
    requestedBy: text,
    completedAt: timestamptz,
  },
  text: `insert into refunds (id, order_id, partner_id, environment, kind, amount_cents, currency, reason,
      note, requested_by, created_at)
    values (:id, :orderId, :partnerId, :environment, :kind, :amountCents, :currency, :reason, :note,
      :requestedBy, :completedAt)`,
});

/** Inserts a pending refund request. */
export const insertRequest = defineStatement({
  params: REQUEST,
  text: `insert into refund_requests (id, order_id, partner_id, environment, status, reason, note,
      requested_by, created_at)
    values (:id, :orderId, :partnerId, :environment, 'pending', :reason, :note, :requestedBy, :createdAt)`,
});

/** Closes an order's pending refund request. Returns no row if there is none. */
export const updateClosed = defineStatement({
  params: { orderId: text, status: textOf<'completed' | 'declined'>(), now: timestamptz },
  row: REQUEST,
  text: `update refund_requests r set status = :status, closed_at = :now
    where order_id = :orderId and status = 'pending' returning ${REQUEST_COLUMNS}`,
});

/** Selects the refunds that wait for a staff decision, longest waiting first. */
export const selectUndecided = defineStatement({
  params: { limit: bigint },
  row: {
    ...REQUEST,
    domain: text,
    partnerName: text,
    amountCents: bigint,
    currency: text,
    cause: present(textOf<UndecidedRefund['cause']>(), 'the WHERE asks for it'),
    transferStatus: textOf<TransferStatus>(),
    since: timestamptz,
  },
  text: `select ${REQUEST_COLUMNS}, o.domain, p.name as "partnerName", o.sale_price_cents as "amountCents",
      o.currency, t.cancellation as cause, t.status as "transferStatus", t.updated_at as since
    from transfers t
    join refund_requests r on r.order_id = t.order_id and r.status = 'pending'
    join orders o on o.id = t.order_id
    join partners p on p.id = o.partner_id
    where t.cancellation is not null and t.cancellation in ('too_late', 'unanswered')
    order by t.updated_at, r.id limit :limit`,
});

/**
 * Selects a domain's (A-labels) orders that are live or that the domain has left with, newest first. Orders of earlier
 * sales are left out: the domain was theirs to sell again.
 */
export const selectClaims = defineStatement({
  params: { environment: textOf<Environment>(), domain: text, saleNumber: integer },
  row: {
    orderId: text,
    status: textOf<OrderStatus>(),
    /** Whether the order was neither refunded nor canceled. */
    isLive: boolean,
    /** Whether the registrar moved the domain, by the transfer or, if staff had refunded before, the audit trail. */
    hasLeft: boolean,
  },
  text: `select "orderId", status, "isLive", "hasLeft" from (
      select o.id as "orderId", o.status, o.status not in ('REFUNDED', 'CANCELLED') as "isLive",
        coalesce(t.status in ('awaiting_confirmation', 'completed'), false)
          -- In the collation of the index of subjects, which is not that of ids.
          or exists (select 1 from audit_log a where a.subject = o.id collate "default"
               and a.action = 'transfer:cancel-push' and a.after ->> 'result' = 'too_late') as "hasLeft"
      from orders o left join transfers t on t.order_id = o.id
      where o.environment = :environment and o.domain = :domain
        and o.sale_number >= :saleNumber) claims
    where "isLive" or "hasLeft" order by "orderId" desc`,
  // Planning for every monthly partition of the audit trail takes longer than querying all of them.
  plan: 'once',
});

/** Inserts the refund of an order that is refunded now. */
export async function writeRefund(
  pipeline: Pipeline,
  refund: Omit<Refund, 'createdAt'> & { completedAt: Date },
): Promise<void> {
  const { amount, ...rest } = refund;
  const money = { amountCents: amount.amount, currency: amount.currency };
  await insertRefund.send(pipeline, { ...rest, ...money });
}

/** Reads the refunds that wait for a staff decision, longest waiting first. */
export async function readUndecided(sql: Sql, limit: number): Promise<UndecidedRefund[]> {
  const rows = await selectUndecided.all(sql, { limit });
  return rows.map(({ amountCents, currency, ...rest }) => ({
    ...rest,
    amount: new Money(amountCents, currency),
  }));
}
