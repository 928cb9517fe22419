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

const COLUMNS = `r.order_id as "orderId", r.partner_id as "partnerId", r.environment, o.domain,
  o.buyer_email as "buyerEmail", r.amount_cents as "amountCents", r.currency, r.status, r.reference,
  r.created_at as "createdAt", r.paid_at as "paidAt"`;
const REPAYMENT = {
  orderId: text,
  partnerId: text,
  environment: textOf<Environment>(),
  domain: text,
  buyerEmail: text,
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
 * Inserts the amount of a payment whose refund failed as owed to the buyer of its order, also after an earlier
 * repayment. Changes no row if the payment has no order or no pending refund.
 */
export const insertOwedOfPayment = defineStatement({
  params: { paymentId: text, now: timestamptz },
  text: `insert into buyer_repayments (order_id, partner_id, environment, amount_cents, currency, status,
      created_at)
    select order_id, partner_id, environment, amount_cents, currency, 'owed', :now from payments
    where id = :paymentId and order_id is not null and status = 'refund_pending'
    on conflict (order_id) do update set status = 'owed', reference = null, paid_at = null`,
});

/** Selects the order's payment that waits for its refund. */
export const selectUnrefunded = defineStatement({
  params: { orderId: text },
  row: { id: text },
  text: `select id from payments where order_id = :orderId and status = 'refund_pending'`,
});

/** Marks what is owed for a payment as paid by its provider after all; changes no row if nothing is owed. */
export const updatePaidByProvider = defineStatement({
  params: { paymentId: text, now: timestamptz },
  text: `update buyer_repayments r set status = 'paid', paid_at = :now,
      reference = coalesce(p.refund_reference, p.provider_reference, p.id)
    from payments p where p.id = :paymentId and r.order_id = p.order_id and r.status = 'owed'`,
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
    text: `select ${COLUMNS} from buyer_repayments r join orders o on o.id = r.order_id
      where r.status = 'owed' and (:environment::text is null or r.environment = :environment)
        and (:from::timestamptz is null or r.created_at >= :from)
        and (:to::timestamptz is null or r.created_at < :to)
        and (:after::text is null or (r.created_at, r.order_id) ${sort === 'newest' ? '<' : '>'}
          (select a.created_at, a.order_id from buyer_repayments a where a.order_id = :after))
      order by r.created_at ${direction}, r.order_id ${direction} limit :limit`,
  });
});

/** Selects the repayment of an order. */
export const selectRepayment = defineStatement({
  params: { orderId: text },
  row: REPAYMENT,
  text: `select ${COLUMNS} from buyer_repayments r join orders o on o.id = r.order_id
    where r.order_id = :orderId`,
});

/** Marks a repayment as paid; changes no row if it was already paid or nothing is owed. */
export const updatePaid = defineStatement({
  params: { orderId: text, reference: text, now: timestamptz },
  text: `update buyer_repayments set status = 'paid', reference = :reference, paid_at = :now
    where order_id = :orderId and status = 'owed'`,
});

/** Returns a page of the owed repayments, see {@link selectOwed}. */
export async function readOwed(
  sql: Sql,
  environment: Environment | null,
  { sort, ...page }: ListPage,
): Promise<Repayment[]> {
  return (await selectOwed[sort].all(sql, { ...page, environment })).map(toRepayment);
}

/** Returns the repayment of an order; undefined if it has none. */
export async function readRepayment(sql: Sql, orderId: string): Promise<Repayment | undefined> {
  const row = await selectRepayment.first(sql, { orderId });
  return row && toRepayment(row);
}

function toRepayment({ amountCents, currency, ...rest }: RowOf<typeof REPAYMENT>): Repayment {
  return { ...rest, amount: new Money(amountCents, currency) };
}
