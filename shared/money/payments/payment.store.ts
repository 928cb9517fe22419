import type { Environment } from '../../platform/config/config.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  integer,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { Money } from '../../platform/money.ts';
import type { Payment, PaymentStatus, PaymentSubject } from './payment.ts';
import type { DeclineCode } from './payment-provider.ts';

const COLUMNS = `id, partner_id as "partnerId", environment, checkout_session_id as "sessionId",
  renewal_id as "renewalId", attempt, provider, customer, provider_reference as "providerReference", status, decline_code as "declineCode",
  amount_cents as "amountCents", currency, order_id as "orderId", refund_reference as "refundReference",
  created_at as "createdAt", updated_at as "updatedAt"`;
const PAYMENT = {
  id: text,
  partnerId: nullable(text),
  environment: textOf<Environment>(),
  sessionId: nullable(text),
  renewalId: nullable(text),
  attempt: integer,
  provider: textOf<Payment['provider']>(),
  customer: nullable(text),
  providerReference: nullable(text),
  status: textOf<PaymentStatus>(),
  declineCode: nullable(textOf<DeclineCode>()),
  amountCents: bigint,
  currency: text,
  orderId: nullable(text),
  refundReference: nullable(text),
  createdAt: timestamptz,
  updatedAt: timestamptz,
};

/** Payments that may still take money or have taken it; written exactly as in the unique index. */
const LIVE = `('created', 'requires_confirmation', 'pending', 'succeeded')`;
const OPEN = `('created', 'requires_confirmation', 'pending')`;

/** The columns that identify what a payment is for. */
const SUBJECTS = ['checkout_session_id', 'renewal_id'] as const;

/** Inserts the next attempt for a subject; no row if it has a live payment, or one that paid for an order. */
export const insertPayment = variantsOf(SUBJECTS, (column) =>
  defineStatement({
    params: {
      id: text,
      partnerId: nullable(text),
      environment: textOf<Environment>(),
      subject: text,
      provider: textOf<Payment['provider']>(),
      customer: nullable(text),
      amountCents: bigint,
      currency: text,
      now: timestamptz,
      checkAt: timestamptz,
    },
    row: PAYMENT,
    text: `insert into payments (id, partner_id, environment, ${column}, attempt, provider, customer, status,
        amount_cents, currency, created_at, updated_at, check_at)
      select :id, :partnerId, :environment, :subject, coalesce(max(attempt), 0) + 1, :provider, :customer, 'created',
        :amountCents, :currency, :now, :now, :checkAt
      from payments where ${column} = :subject
      having count(order_id) = 0
      on conflict do nothing returning ${COLUMNS}`,
  }),
);

/** Selects a subject's payment that did not fail, preferring a live one to a refunded one. */
export const selectLive = variantsOf(SUBJECTS, (column) =>
  defineStatement({
    params: { subject: text },
    row: PAYMENT,
    text: `select ${COLUMNS} from payments where ${column} = :subject and status <> 'failed'
      order by status in ${LIVE} desc, attempt desc limit 1`,
  }),
);

/** Selects a payment by ID. */
export const selectPayment = defineStatement({
  params: { id: text },
  row: PAYMENT,
  text: `select ${COLUMNS} from payments where id = :id`,
});

/** Moves a payment from one of the `from` statuses to `to`; no row if it has none of them. */
export const updateStatus = defineStatement({
  params: {
    id: text,
    from: arrayOf(textOf<PaymentStatus>()),
    to: textOf<PaymentStatus>(),
    reference: nullable(text),
    code: nullable(textOf<DeclineCode>()),
    now: timestamptz,
  },
  row: PAYMENT,
  text: `update payments set status = :to, decline_code = :code, updated_at = :now,
      provider_reference = coalesce(provider_reference, :reference)
    where id = :id and status = any(:from) returning ${COLUMNS}`,
});

/**
 * Revives a failed payment that took the money after all. It counts, unless another payment of its subject is
 * live; then the money is refunded. No row if the payment has not failed.
 */
export const updateRevived = defineStatement({
  params: { id: text, reference: text, now: timestamptz },
  row: PAYMENT,
  text: `update payments p set decline_code = null, updated_at = :now,
      provider_reference = coalesce(provider_reference, :reference),
      status = case when exists (
        select 1 from payments o
        where (o.checkout_session_id = p.checkout_session_id or o.renewal_id = p.renewal_id)
          and o.id <> p.id and (o.status in ${LIVE} or o.order_id is not null))
        then 'refund_pending' else 'succeeded' end
    where id = :id and status = 'failed' returning ${COLUMNS}`,
});

/** Links a payment to the order that it paid for. */
export const updateOrder = defineStatement({
  params: { id: text, orderId: text },
  text: 'update payments set order_id = :orderId where id = :id',
});

/** The lost dispute with which the bank returned the full payment. */
const LOST_DISPUTE = `(select d.provider_reference from payment_disputes d
    where d.payment_id = p.id and d.status = 'lost' and d.amount_cents = p.amount_cents limit 1)`;

/**
 * Marks a succeeded payment, identified by order ID or payment ID, for refund, or as refunded if the bank, or staff at
 * the provider, have already returned it; no row if there is none.
 */
export const updateRefundPending = variantsOf(['order_id', 'id'], (column) =>
  defineStatement({
    params: { value: text, now: timestamptz },
    row: PAYMENT,
    text: `update payments p set updated_at = :now, refund_reference = ${LOST_DISPUTE},
        status = case when returned_at is null and ${LOST_DISPUTE} is null
          then 'refund_pending' else 'refunded' end
      where ${column} = :value and status = 'succeeded' returning ${COLUMNS}`,
  }),
);

/** Reopens a completed refund that was returned; changes no row if it is not the payment's refund. */
export const updateRefundReturned = defineStatement({
  params: { id: text, reference: text, now: timestamptz },
  text: `update payments set status = 'refund_pending', refund_reference = null, updated_at = :now
    where id = :id and status = 'refunded' and coalesce(refund_reference, :reference) = :reference`,
});

/** Records a completed refund; changes no row if it was recorded before or not requested. */
export const updateRefunded = defineStatement({
  params: { id: text, reference: nullable(text), now: timestamptz },
  text: `update payments set status = 'refunded', refund_reference = :reference, updated_at = :now
    where id = :id and status = 'refund_pending'`,
});

/** Records that a payment was refunded in full by hand at its provider. Changes no row if that is known. */
export const updateReturned = defineStatement({
  params: { id: text, now: timestamptz },
  text: 'update payments set returned_at = :now where id = :id and returned_at is null',
});

/**
 * Records the total of a payment that was refunded by hand at its provider. Changes no row if that much is known, as a
 * late report's is, or if all is refunded or about to be.
 */
export const updatePartlyReturned = defineStatement({
  params: { id: text, amountCents: bigint },
  text: `update payments set returned_cents = :amountCents
    where id = :id and status not in ('refund_pending', 'refunded') and returned_at is null
      and coalesce(returned_cents, 0) < :amountCents`,
});

/** Selects whether an order's payment was refunded in full by hand at its provider. */
export const selectIsReturned = defineStatement({
  params: { orderId: text },
  row: { found: boolean },
  text: `select exists (
      select from payments where order_id = :orderId and returned_at is not null) as found`,
});

/** Records that the bank returned a payment with a pending refund; changes no row while it has not. */
export const updateGivenBack = defineStatement({
  params: { id: text, now: timestamptz },
  text: `update payments p set status = 'refunded', refund_reference = ${LOST_DISPUTE}, updated_at = :now
    where id = :id and status = 'refund_pending' and ${LOST_DISPUTE} is not null`,
});

/**
 * Claims open payments without recent news. Each is due again when it is twice as old,
 * at most six hours later.
 */
export const updateDueChecks = defineStatement({
  params: { now: timestamptz, limit: bigint },
  row: PAYMENT,
  text: `update payments set check_at = :now::timestamptz
      + greatest(interval '1 minute', least(:now::timestamptz - created_at, interval '6 hours'))
    where id in (
      select id from payments where status in ${OPEN} and check_at <= :now
      order by check_at limit :limit for update skip locked)
    returning ${COLUMNS}`,
});

/** A payment to create. */
export type NewPayment = Pick<Payment, 'id' | 'environment' | 'provider' | 'amount'> &
  ({ sessionId: string; partnerId: string } | { renewalId: string; customer?: string | null });

/** Inserts a payment; undefined if its subject has a live payment, or one that paid for an order. */
export async function writePayment(
  tx: Tx,
  payment: NewPayment,
  at: { now: Date; checkAt: Date },
): Promise<Payment | undefined> {
  const { id, environment, provider, amount } = payment;
  const { amount: amountCents, currency } = amount;
  const row = { id, environment, provider, amountCents, currency, ...at };
  const written =
    'renewalId' in payment
      ? await insertPayment.renewal_id.first(tx, {
          ...row,
          partnerId: null,
          customer: payment.customer ?? null,
          subject: payment.renewalId,
        })
      : await insertPayment.checkout_session_id.first(tx, {
          ...row,
          partnerId: payment.partnerId,
          customer: null,
          subject: payment.sessionId,
        });
  return toPaymentOrNone(written);
}

/** Returns the payment of a session or renewal that did not fail, preferring a live one to a refunded one. */
export async function readLive(
  sql: Sql,
  of: { sessionId: string } | { renewalId: string },
): Promise<Payment | undefined> {
  const row =
    'sessionId' in of
      ? await selectLive.checkout_session_id.first(sql, { subject: of.sessionId })
      : await selectLive.renewal_id.first(sql, { subject: of.renewalId });
  return toPaymentOrNone(row);
}

/** Returns a payment by ID. */
export async function readPayment(sql: Sql, id: string): Promise<Payment | undefined> {
  return toPaymentOrNone(await selectPayment.first(sql, { id }));
}

/** Applies a step if the payment's status allows it; otherwise returns undefined. */
export async function changeStatus(
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
  return toPaymentOrNone(await updateStatus.first(tx, step));
}

/** Revives a failed payment, see {@link updateRevived}; undefined if it has not failed. */
export async function reviveFailed(
  tx: Tx,
  late: { id: string; reference: string; now: Date },
): Promise<Payment | undefined> {
  return toPaymentOrNone(await updateRevived.first(tx, late));
}

/** Starts a refund; undefined if there is no succeeded payment. */
export async function beginRefund(
  tx: Tx,
  of: { orderId: string } | { paymentId: string },
  now: Date,
): Promise<Payment | undefined> {
  const row =
    'orderId' in of
      ? await updateRefundPending.order_id.first(tx, { value: of.orderId, now })
      : await updateRefundPending.id.first(tx, { value: of.paymentId, now });
  return toPaymentOrNone(row);
}

/** Claims open payments without recent news, see {@link updateDueChecks}. */
export async function claimDueChecks(sql: Sql, now: Date, limit: number): Promise<Payment[]> {
  return (await updateDueChecks.all(sql, { now, limit })).map(toPayment);
}

function toPayment(row: RowOf<typeof PAYMENT>): Payment {
  const { amountCents, currency, ...rest } = row;
  return { ...rest, ...subjectOf(row), amount: new Money(amountCents, currency) };
}

/** Returns the subject. A constraint guarantees that there is one. */
function subjectOf(row: RowOf<typeof PAYMENT>): PaymentSubject {
  const { sessionId, partnerId, renewalId } = row;
  if (sessionId !== null && partnerId !== null) return { sessionId, partnerId, renewalId: null };
  if (renewalId !== null) return { sessionId: null, partnerId: null, renewalId };
  throw new Error(`payment ${row.id} is of nothing`);
}

function toPaymentOrNone(row: RowOf<typeof PAYMENT> | undefined): Payment | undefined {
  return row && toPayment(row);
}
