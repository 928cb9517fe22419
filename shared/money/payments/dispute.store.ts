import type { Environment } from '../../platform/config/config.ts';
import { ID_PAGE, idPage, idPageSql } from '../../platform/database/id-page.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  bigint,
  boolean,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { Money } from '../../platform/money.ts';
import { LIST_SORTS, type ListPage } from '../../platform/page.ts';
import type { Dispute, DisputeStatus } from './dispute.ts';

const COLUMNS = `d.id, d.payment_id as "paymentId", d.partner_id as "partnerId", d.environment,
  d.order_id as "orderId", d.provider_reference as reference, d.status, d.reason,
  d.amount_cents as "amountCents", d.currency, d.evidence_due_at as "evidenceDueAt",
  d.opened_at as "openedAt", d.updated_at as "updatedAt", d.closed_at as "closedAt"`;
const DISPUTE = {
  id: text,
  paymentId: text,
  partnerId: nullable(text),
  environment: textOf<Environment>(),
  orderId: nullable(text),
  reference: text,
  status: textOf<DisputeStatus>(),
  reason: text,
  amountCents: bigint,
  currency: text,
  evidenceDueAt: nullable(timestamptz),
  openedAt: timestamptz,
  updatedAt: timestamptz,
  closedAt: nullable(timestamptz),
};

/** Inserts a dispute unless it exists. */
export const insertDispute = defineStatement({
  params: DISPUTE,
  text: `insert into payment_disputes (id, payment_id, partner_id, environment, order_id,
      provider_reference, status, reason, amount_cents, currency, evidence_due_at, opened_at, updated_at,
      closed_at)
    values (:id, :paymentId, :partnerId, :environment, :orderId, :reference, :status, :reason,
      :amountCents, :currency, :evidenceDueAt, :openedAt, :updatedAt, :closedAt)
    on conflict (provider_reference) do nothing`,
});

/** Updates an open dispute; no row if it is closed or nothing changed. */
export const updateDispute = defineStatement({
  params: {
    reference: text,
    status: textOf<DisputeStatus>(),
    evidenceDueAt: nullable(timestamptz),
    closedAt: nullable(timestamptz),
    now: timestamptz,
  },
  text: `update payment_disputes set status = :status, evidence_due_at = :evidenceDueAt,
      closed_at = :closedAt, updated_at = :now
    where provider_reference = :reference and closed_at is null
      and (status, evidence_due_at) is distinct from (:status::text, :evidenceDueAt::timestamptz)`,
});

/** Selects a dispute by the provider's reference. */
export const selectByReference = defineStatement({
  params: { reference: text },
  row: DISPUTE,
  text: `select ${COLUMNS} from payment_disputes d where provider_reference = :reference`,
});

/** Selects the disputes of an order, newest first. */
export const selectOfOrder = defineStatement({
  params: { orderId: text },
  row: DISPUTE,
  text: `select ${COLUMNS} from payment_disputes d where order_id = :orderId order by opened_at desc, id`,
});

/** Selects whether a payment, identified by order ID or payment ID, has an open dispute. */
export const selectIsDisputed = variantsOf(['order_id', 'payment_id'], (column) =>
  defineStatement({
    params: { value: text },
    row: { found: boolean },
    text: `select exists (select from payment_disputes where ${column} = :value and closed_at is null)
      as found`,
  }),
);

/** Selects the lost dispute over a full payment, identified by order ID or payment ID. */
export const selectLost = variantsOf(['order_id', 'payment_id'], (column) =>
  defineStatement({
    params: { value: text },
    row: { reference: text },
    text: `select d.provider_reference as reference from payment_disputes d
      join payments p on p.id = d.payment_id
      where d.${column} = :value and d.status = 'lost' and d.amount_cents = p.amount_cents limit 1`,
  }),
);

/** Selects a page of the disputes of all partners, with their domains: those that are open, or those with a status. */
export const selectDisputes = variantsOf(['open', 'inStatus'], (which) =>
  variantsOf(LIST_SORTS, (sort) =>
    defineStatement({
      params: {
        ...ID_PAGE,
        status: nullable(textOf<DisputeStatus>()),
        environment: nullable(textOf<Environment>()),
      },
      row: { ...DISPUTE, domain: nullable(text) },
      text: `select ${COLUMNS}, o.domain from payment_disputes d left join orders o on o.id = d.order_id
        where ${which === 'open' ? 'd.closed_at is null' : 'd.status = :status'}
          and (:environment::text is null or d.environment = :environment)
          and ${idPageSql('d.id', sort)}`,
    }),
  ),
);

/** Inserts a dispute; returns false if it exists. */
export async function writeDispute(tx: Tx, { amount, ...dispute }: Dispute): Promise<boolean> {
  const { amount: amountCents, currency } = amount;
  return (await insertDispute.run(tx, { ...dispute, amountCents, currency })) === 1;
}

/** Returns a dispute by the provider's reference. */
export async function readDispute(sql: Sql, reference: string): Promise<Dispute | undefined> {
  const row = await selectByReference.first(sql, { reference });
  return row && toDispute(row);
}

/** Returns the disputes of an order, newest first. */
export async function readOfOrder(sql: Sql, orderId: string): Promise<Dispute[]> {
  return (await selectOfOrder.all(sql, { orderId })).map(toDispute);
}

/** A filter for the disputes of all partners: those with one status, or the open ones if it is null. */
export interface DisputeFilter {
  status: DisputeStatus | null;
  environment: Environment | null;
}

/** Returns a page of disputes, see {@link selectDisputes}. */
export async function readDisputes(
  sql: Sql,
  filter: DisputeFilter,
  page: ListPage,
): Promise<(Dispute & { domain: string | null })[]> {
  const statement = selectDisputes[filter.status === null ? 'open' : 'inStatus'][page.sort];
  const wanted = { ...filter, ...idPage('dispute', page, page.limit) };
  return (await statement.all(sql, wanted)).map(({ domain, ...row }) => ({
    ...toDispute(row),
    domain,
  }));
}

function toDispute({ amountCents, currency, ...rest }: RowOf<typeof DISPUTE>): Dispute {
  return { ...rest, amount: new Money(amountCents, currency) };
}
