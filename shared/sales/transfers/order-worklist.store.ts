import type { Environment } from '../../platform/config/config.ts';
import {
  ID_PAGE,
  idBoundsSql,
  idOrderSql,
  idPage,
  idPageSql,
} from '../../platform/database/id-page.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  integer,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { Money } from '../../platform/money.ts';
import { LIST_SORTS, type ListPage } from '../../platform/page.ts';
import type { OrderAction, OrderStatus, PaymentModel } from '../orders/order.ts';
import type { Cancellation, TransferStatus } from './transfer.ts';

/** The stages of an order that need operators, in the order in which they occur. */
export const WORKLIST_STAGES = [
  'review',
  'awaiting_registrant',
  'to_push',
  'under_way',
  'action_required',
  'failed',
  'to_confirm',
  'refund_to_decide',
] as const;

export type WorklistStage = (typeof WORKLIST_STAGES)[number];

const WORKLIST_ORDER = {
  id: text,
  partnerId: text,
  partnerName: text,
  environment: textOf<Environment>(),
  domain: text,
  status: textOf<OrderStatus>(),
  paymentModel: textOf<PaymentModel>(),
  salePriceCents: bigint,
  currency: text,
  buyerEmail: text,
  buyerCountry: nullable(text),
  reviewReasons: arrayOf(text),
  /** What must happen before the transfer can start; null if nothing. */
  actionRequired: nullable(textOf<OrderAction>()),
  createdAt: timestamptz,
  updatedAt: timestamptz,
  /** Null before the transfer starts, like the next three. */
  transferStatus: nullable(textOf<TransferStatus>()),
  transferReason: nullable(text),
  transferAttempts: nullable(integer),
  transferUpdatedAt: nullable(timestamptz),
  /** The state of the push's cancellation while a refund is waiting for it; otherwise null. */
  cancellation: nullable(textOf<Cancellation>()),
};
type WorklistRow = RowOf<typeof WORKLIST_ORDER>;

/** An order in an operators' list, with the state of its transfer. */
export interface WorklistOrder extends Omit<WorklistRow, 'salePriceCents' | 'currency'> {
  price: Money;
}

const COLUMNS = `o.id, o.partner_id as "partnerId", p.name as "partnerName", o.environment, o.domain,
  o.status, o.payment_model as "paymentModel", o.sale_price_cents as "salePriceCents", o.currency,
  o.buyer_email as "buyerEmail", o.buyer_country as "buyerCountry", o.review_reasons as "reviewReasons",
  o.action_required as "actionRequired",
  o.created_at as "createdAt", o.updated_at as "updatedAt", t.status as "transferStatus",
  t.reason as "transferReason", t.attempts as "transferAttempts", t.updated_at as "transferUpdatedAt",
  t.cancellation`;

const TABLES = `orders o join partners p on p.id = o.partner_id
  left join transfers t on t.order_id = o.id`;

/** Matches unless a refund is waiting for staff. One that waits for the registrar is the registrar's to decide. */
const DECIDED = `(t.cancellation is null or t.cancellation = 'requested')`;

/** Matches the orders that are being transferred. */
const IN_PROGRESS = `o.status = 'TRANSFER_IN_PROGRESS'`;

/** How to find the orders of a stage: by order status and a condition, or from the few transfers that are waiting. */
type StageSource =
  | { statuses: readonly OrderStatus[]; condition: string }
  | { transfers: string; condition: string };

const STAGE_SOURCES: Record<WorklistStage, StageSource> = {
  review: { statuses: ['MANUAL_REVIEW'], condition: 'true' },
  awaiting_registrant: {
    statuses: ['EXTERNALLY_PAID', 'PAID'],
    condition: 'o.action_required is not null',
  },
  to_push: { statuses: ['EXTERNALLY_PAID', 'PAID'], condition: 'o.action_required is null' },
  under_way: {
    statuses: ['TRANSFER_IN_PROGRESS'],
    condition: `${DECIDED} and t.status in ('queued', 'pushing', 'pending_registry')`,
  },
  action_required: { transfers: `status = 'action_required'`, condition: DECIDED },
  failed: { transfers: `status = 'failed'`, condition: 'true' },
  to_confirm: { transfers: `status = 'awaiting_confirmation'`, condition: DECIDED },
  refund_to_decide: { transfers: `cancellation in ('too_late', 'unanswered')`, condition: 'true' },
};

/** The requested environments as rows, so that an index can return each one's orders in the list's order. */
const ENVIRONMENTS = `unnest(case when :environment::text is null then '{LIVE,SANDBOX}'::text[]
      else array[:environment] end) as w (environment)`;

/** The SQL for the ids of up to `limit` orders of a stage that meet a further condition, sorted. */
function idsInStage(stage: WorklistStage, further: string, order: string, limit: string): string {
  const source = STAGE_SOURCES[stage];
  if ('transfers' in source) {
    return `select o.id from (select * from transfers where ${source.transfers} offset 0) t
      join orders o on o.id = t.order_id
      where ${IN_PROGRESS} and ${source.condition}
        and (:environment::text is null or o.environment = :environment) ${further} ${order} ${limit}`;
  }
  const { statuses, condition } = source;
  const withTransfer = condition.includes('t.') ? 'left join transfers t on t.order_id = o.id' : '';
  // Each status is read by itself, because the index `orders_by_status` then returns ids in order.
  return `select found.id from ${ENVIRONMENTS},
      (values ${statuses.map((status) => `('${status}')`).join(', ')}) as v (status),
      lateral (select o.id from orders o ${withTransfer}
        where o.environment = w.environment and o.status = v.status and ${condition} ${further}
        ${order} ${limit}) found
    ${order.replaceAll('o.id', 'found.id')} ${limit}`;
}

/** Selects a page of the orders of a stage that were recorded in a period. */
export const selectStage = variantsOf(WORKLIST_STAGES, (stage) =>
  variantsOf(LIST_SORTS, (sort) =>
    defineStatement({
      params: { environment: nullable(textOf<Environment>()), ...ID_PAGE },
      row: WORKLIST_ORDER,
      text: `select ${COLUMNS} from ${TABLES}
      where o.id in (${idsInStage(stage, `and ${idBoundsSql('o.id', sort)}`, idOrderSql('o.id', sort), 'limit :limit')})
      ${idOrderSql('o.id', sort)}`,
    }),
  ),
);

/** The number up to which the orders of a stage are counted. */
export const STAGE_COUNT_UP_TO = 1_000;

/** Counts the orders in each stage, up to {@link STAGE_COUNT_UP_TO}. */
export const countStages = defineStatement({
  params: { environment: nullable(textOf<Environment>()) },
  row: {
    review: bigint,
    awaiting_registrant: bigint,
    to_push: bigint,
    under_way: bigint,
    action_required: bigint,
    failed: bigint,
    to_confirm: bigint,
    refund_to_decide: bigint,
  } satisfies Record<WorklistStage, typeof bigint>,
  text: `select ${WORKLIST_STAGES.map(
    (stage) =>
      `(select count(*) from (${idsInStage(stage, '', '', `limit ${STAGE_COUNT_UP_TO}`)}) counted) as ${stage}`,
  ).join(', ')}`,
});

/** A filter for the orders of all partners; null matches all. */
export interface AllOrdersFilter {
  partnerId: string | null;
  environment: Environment | null;
  status: OrderStatus | null;
}

/** Selects orders of all partners. `ofStatus` finds the orders of a status with the index `orders_by_status`. */
export const selectOrders = variantsOf(['all', 'ofStatus'], (which) =>
  variantsOf(LIST_SORTS, (sort) =>
    defineStatement({
      params: {
        partnerId: nullable(text),
        environment: nullable(textOf<Environment>()),
        status: nullable(textOf<OrderStatus>()),
        ...ID_PAGE,
      },
      row: WORKLIST_ORDER,
      text:
        which === 'all'
          ? `select ${COLUMNS} from ${TABLES}
        where (:partnerId::text is null or o.partner_id = :partnerId)
          and (:environment::text is null or o.environment = :environment)
          and (:status::text is null or o.status = :status)
          and ${idPageSql('o.id', sort)}`
          : `select ${COLUMNS} from ${TABLES}
        where o.id in (
          select found.id from ${ENVIRONMENTS}, lateral (select o.id from orders o
            where o.environment = w.environment and o.status = :status and ${idPageSql('o.id', sort)}) found
          ${idOrderSql('found.id', sort)} limit :limit)
        ${idOrderSql('o.id', sort)}`,
    }),
  ),
);

/** Returns a page of the orders of a stage. */
export async function readStage(
  sql: Sql,
  stage: WorklistStage,
  { environment, ...page }: ListPage & { environment: Environment | null },
): Promise<WorklistOrder[]> {
  const given = { environment, ...idPage('order', page, page.limit) };
  return (await selectStage[stage][page.sort].all(sql, given)).map(toWorklistOrder);
}

/** Returns a page of the orders of all partners. */
export async function readOrders(
  sql: Sql,
  filter: AllOrdersFilter,
  page: ListPage,
): Promise<WorklistOrder[]> {
  const given = { ...filter, ...idPage('order', page, page.limit) };
  const which = filter.status !== null && filter.partnerId === null ? 'ofStatus' : 'all';
  return (await selectOrders[which][page.sort].all(sql, given)).map(toWorklistOrder);
}

function toWorklistOrder({ salePriceCents, currency, ...rest }: WorklistRow): WorklistOrder {
  return { ...rest, price: new Money(salePriceCents, currency) };
}
