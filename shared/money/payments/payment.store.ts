import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { Money } from '../../platform/money.ts';
import type { Payment, PaymentStatus } from './payment.ts';
import type { DeclineCode } from './payment-provider.ts';

const COLUMNS = `id, partner_id as "partnerId", environment, checkout_session_id as "sessionId", attempt,
  provider, provider_reference as "providerReference", status, decline_code as "declineCode",
  amount_cents as "amountCents", currency, order_id as "orderId", refund_reference as "refundReference",
  created_at as "createdAt", updated_at as "updatedAt"`;

/** What can still take money, or has taken it; the same words as those of the unique index. */
const LIVE = `('created', 'requires_confirmation', 'pending', 'succeeded')`;
const OPEN = `('created', 'requires_confirmation', 'pending')`;

export type NewPayment = Pick<
  Payment,
  'id' | 'partnerId' | 'environment' | 'sessionId' | 'provider' | 'amount'
>;

type PaymentRow = Omit<Payment, 'amount'> & { amountCents: number; currency: string };

function toPayment({ amountCents, currency, ...rest }: PaymentRow): Payment {
  return { ...rest, amount: new Money(amountCents, currency) };
}

/** Undefined when the session has a live payment, or one that paid for an order. */
export async function insertPayment(
  tx: Tx,
  payment: NewPayment,
  at: { now: Date; checkAt: Date },
): Promise<Payment | undefined> {
  const { rows } = await tx.raw(
    `insert into payments (id, partner_id, environment, checkout_session_id, attempt, provider, status,
       amount_cents, currency, created_at, updated_at, check_at)
     select :id, :partnerId, :environment, :sessionId, coalesce(max(attempt), 0) + 1, :provider, 'created',
       :amountCents, :currency, :now, :now, :checkAt
     from payments where checkout_session_id = :sessionId
     having count(order_id) = 0
     on conflict do nothing returning ${COLUMNS}`,
    { ...payment, ...at, amountCents: payment.amount.amount, currency: payment.amount.currency },
  );
  return rows[0] && toPayment(rows[0]);
}

/** The session's payment that did not fail: a live one before one that was given back. */
export async function findLive(sql: Sql, sessionId: string): Promise<Payment | undefined> {
  const { rows } = await sql.raw(
    `select ${COLUMNS} from payments where checkout_session_id = :sessionId and status <> 'failed'
     order by status in ${LIVE} desc, attempt desc limit 1`,
    { sessionId },
  );
  return rows[0] && toPayment(rows[0]);
}

export async function findById(sql: Sql, id: string): Promise<Payment | undefined> {
  const { rows } = await sql.raw(`select ${COLUMNS} from payments where id = :id`, { id });
  return rows[0] && toPayment(rows[0]);
}

/** The conditional update of a step; undefined when the payment is in none of its from-states. */
export async function updateStatus(
  tx: Tx,
  step: {
    id: string;
    from: readonly PaymentStatus[];
    to: PaymentStatus;
    reference: string | null;
    code: DeclineCode | null;
    now: Date;
  },
): Promise<Payment | undefined> {
  const { rows } = await tx.raw(
    `update payments set status = :to, decline_code = :code, updated_at = :now,
       provider_reference = coalesce(provider_reference, :reference)
     where id = :id and status = any(:from) returning ${COLUMNS}`,
    { ...step, from: [...step.from] },
  );
  return rows[0] && toPayment(rows[0]);
}

/**
 * A payment that had failed and took the money after all: it counts, unless another one of its session is
 * live; then the money goes back.
 */
export async function reviveFailed(
  tx: Tx,
  late: { id: string; reference: string; now: Date },
): Promise<Payment | undefined> {
  const { rows } = await tx.raw(
    `update payments p set decline_code = null, updated_at = :now,
       provider_reference = coalesce(provider_reference, :reference),
       status = case when exists (
         select 1 from payments o where o.checkout_session_id = p.checkout_session_id and o.id <> p.id
           and (o.status in ${LIVE} or o.order_id is not null))
         then 'refund_pending' else 'succeeded' end
     where id = :id and status = 'failed' returning ${COLUMNS}`,
    late,
  );
  return rows[0] && toPayment(rows[0]);
}

export async function setOrder(tx: Tx, id: string, orderId: string): Promise<void> {
  await tx.raw('update payments set order_id = :orderId where id = :id', {
    id,
    orderId,
  });
}

/** Undefined when there is no succeeded payment to give back. */
export async function beginRefund(
  tx: Tx,
  of: { orderId: string } | { paymentId: string },
  now: Date,
): Promise<Payment | undefined> {
  const [column, value] =
    'orderId' in of ? (['order_id', of.orderId] as const) : (['id', of.paymentId] as const);
  const { rows } = await tx.raw(
    `update payments set status = 'refund_pending', updated_at = :now
     where ${column} = :value and status = 'succeeded' returning ${COLUMNS}`,
    { value, now },
  );
  return rows[0] && toPayment(rows[0]);
}

/** False when it was recorded before, or nobody asked for it. */
export async function endRefund(
  tx: Tx,
  id: string,
  reference: string | null,
  now: Date,
): Promise<boolean> {
  const result = await tx.raw(
    `update payments set status = 'refunded', refund_reference = :reference, updated_at = :now
     where id = :id and status = 'refund_pending'`,
    { id, reference, now },
  );
  return result.rowCount === 1;
}

/**
 * Takes open payments that nobody has heard of for a while; each comes up again when it is twice as old,
 * six hours later at most.
 */
export async function claimDueChecks(sql: Sql, now: Date, limit: number): Promise<Payment[]> {
  const { rows } = await sql.raw(
    `update payments set check_at = :now::timestamptz
       + greatest(interval '1 minute', least(:now::timestamptz - created_at, interval '6 hours'))
     where id in (
       select id from payments where status in ${OPEN} and check_at <= :now
       order by check_at limit :limit for update skip locked)
     returning ${COLUMNS}`,
    { now, limit },
  );
  return rows.map(toPayment);
}

export async function deleteFailedPayments(sql: Sql, before: Date, limit: number): Promise<number> {
  const result = await sql.raw(
    `delete from payments where id in (
       select id from payments where status = 'failed' and order_id is null and updated_at < :before
       order by updated_at limit :limit for update skip locked)`,
    { before, limit },
  );
  return result.rowCount ?? 0;
}
