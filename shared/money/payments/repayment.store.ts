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
