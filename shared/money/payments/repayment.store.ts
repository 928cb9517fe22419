import type { Environment } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  bigint,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { Money } from '../../platform/money.ts';
import { LIST_SORTS, type ListPage } from '../../platform/page.ts';
import type { Repayment } from './repayment.ts';

const COLUMNS = `r.subject as id, r.order_id as "orderId", r.payment_id as "paymentId", p.renewal_id as "renewalId",
  p.provider_reference as "providerReference", r.partner_id as "partnerId", r.environment,
  coalesce(o.domain, w.domain, s.domain) as domain,
  coalesce(o.buyer_email, u.email, s.buyer_email) as "buyerEmail", r.amount_cents as "amountCents", r.currency,
  r.status, r.reference, r.created_at as "createdAt", r.paid_at as "paidAt"`;
/** Repayments with their orders, or with what their payments were for: a renewal, or a checkout. */
const FROM = `buyer_repayments r
  left join orders o on o.id = r.order_id
  left join payments p on p.id = r.payment_id
  left join renewals w on w.id = p.renewal_id
  left join users u on u.id = w.user_id
  left join checkout_sessions s on s.id = p.checkout_session_id`;
const REPAYMENT = {
  id: text,
  orderId: nullable(text),
  paymentId: nullable(text),
  renewalId: nullable(text),
  providerReference: nullable(text),
  partnerId: nullable(text),
  environment: textOf<Environment>(),
  domain: text,
  buyerEmail: nullable(text),
  amountCents: bigint,
  currency: text,
  status: textOf<Repayment['status']>(),
  reference: nullable(text),
  createdAt: timestamptz,
  paidAt: nullable(timestamptz),
};

/** Inserts an amount owed to the buyer of an order. */
export const insertOwed = defineStatement({
  params: {
    orderId: text,
    partnerId: text,
    environment: textOf<Environment>(),
    amountCents: bigint,
    currency: text,
    now: timestamptz,
  },
  text: `insert into buyer_repayments (order_id, partner_id, environment, amount_cents, currency, status,
      created_at)
    values (:orderId, :partnerId, :environment, :amountCents, :currency, 'owed', :now)`,
});

/**
 * Inserts what a payment's failed refund has not returned as owed to its buyer, also after an earlier repayment: the
 * amount without what staff refunded at the provider by hand. Changes no row if the payment has no pending refund.
 */
export const insertOwedOfPayment = defineStatement({
  params: { paymentId: text, now: timestamptz },
  text: `insert into buyer_repayments (order_id, payment_id, partner_id, environment, amount_cents, currency, status,
      created_at)
    select order_id, case when order_id is null then id end, partner_id, environment,
      amount_cents - coalesce(returned_cents, 0), currency, 'owed', :now
    from payments where id = :paymentId and status = 'refund_pending'
    on conflict (subject) do update set status = 'owed', reference = null, paid_at = null`,
});

/** Selects the payment of an order, or the one with this ID without an order, that waits for its refund. */
export const selectUnrefunded = defineStatement({
  params: { id: text },
  row: { id: text },
  text: `select id from payments
    where (order_id = :id or id = :id and order_id is null) and status = 'refund_pending'`,
});

/** Marks what is owed for a payment as paid by its provider after all; changes no row if nothing is owed. */
export const updatePaidByProvider = defineStatement({
  params: { paymentId: text, now: timestamptz },
  text: `update buyer_repayments r set status = 'paid', paid_at = :now,
      reference = coalesce(p.refund_reference, p.provider_reference, p.id)
    from payments p
    where p.id = :paymentId and r.subject = coalesce(p.order_id, p.id) and r.status = 'owed'`,
});

/** Selects owed repayments by the time of the reversal, using the index `buyer_repayments_owed`. */
export const selectOwed = variantsOf(LIST_SORTS, (sort) => {
  const direction = sort === 'newest' ? 'desc' : 'asc';
  return defineStatement({
    params: {
      environment: nullable(textOf<Environment>()),
      from: nullable(timestamptz),
      to: nullable(timestamptz),
      after: nullable(text),
      limit: bigint,
    },
    row: REPAYMENT,
    text: `select ${COLUMNS} from ${FROM}
      where r.status = 'owed' and (:environment::text is null or r.environment = :environment)
        and (:from::timestamptz is null or r.created_at >= :from)
        and (:to::timestamptz is null or r.created_at < :to)
        and (:after::text is null or (r.created_at, r.subject) ${sort === 'newest' ? '<' : '>'}
          (select a.created_at, a.subject from buyer_repayments a where a.subject = :after))
      order by r.created_at ${direction}, r.subject ${direction} limit :limit`,
  });
});

/** Selects a repayment, by the ID of its order or payment. */
export const selectRepayment = defineStatement({
  params: { id: text },
  row: REPAYMENT,
  text: `select ${COLUMNS} from ${FROM} where r.subject = :id`,
});

/** Marks a repayment as paid; changes no row if it was already paid or nothing is owed. */
export const updatePaid = defineStatement({
  params: { id: text, reference: text, now: timestamptz },
  text: `update buyer_repayments set status = 'paid', reference = :reference, paid_at = :now
    where subject = :id and status = 'owed'`,
});

/** Returns a page of the owed repayments, see {@link selectOwed}. */
export async function readOwed(
  sql: Sql,
  environment: Environment | null,
  { sort, ...page }: ListPage,
): Promise<Repayment[]> {
  return (await selectOwed[sort].all(sql, { ...page, environment })).map(toRepayment);
}

/** Returns a repayment by the ID of its order or payment; undefined if there is none. */
export async function readRepayment(sql: Sql, id: string): Promise<Repayment | undefined> {
  const row = await selectRepayment.first(sql, { id });
  return row && toRepayment(row);
}

function toRepayment({ amountCents, currency, ...rest }: RowOf<typeof REPAYMENT>): Repayment {
  return { ...rest, amount: new Money(amountCents, currency) };
}
