import type { Environment } from '../../platform/config/config.ts';
import { ID_PAGE, idPage, idPageSql } from '../../platform/database/id-page.ts';
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
import { LIST_SORTS, type ListPage, type ListSort } from '../../platform/page.ts';
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
  /** What has to be done before its transfer can start. */
  actionRequired: nullable(textOf<OrderAction>()),
  createdAt: timestamptz,
  updatedAt: timestamptz,
  /** Null before the transfer's start, like the three below. */
  transferStatus: nullable(textOf<TransferStatus>()),
  transferReason: nullable(text),
  transferAttempts: nullable(integer),
  transferUpdatedAt: nullable(timestamptz),
  /** What a refund waits for that is held until the push is known to be stopped. */
  cancellation: nullable(textOf<Cancellation>()),
};
type WorklistRow = RowOf<typeof WORKLIST_ORDER>;

/** An order in an operators' list: its identity, and how its transfer is going. */
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

/** No refund waits for staff; one that waits for the registrar will be decided by it. */
const DECIDED = `(t.cancellation is null or t.cancellation = 'requested')`;

const DIRECTIONS: Record<ListSort, string> = { oldest: 'asc', newest: 'desc' };

// The statuses are written out: only so does the planner see that `orders_open_work` holds them all.
const STAGE_CONDITIONS: Record<WorklistStage, string> = {
  review: `o.status = 'MANUAL_REVIEW'`,
  awaiting_registrant: `o.status in ('EXTERNALLY_PAID', 'PAID') and o.action_required is not null`,
  to_push: `o.status in ('EXTERNALLY_PAID', 'PAID') and o.action_required is null`,
  under_way: `o.status = 'TRANSFER_IN_PROGRESS' and ${DECIDED}
    and t.status in ('queued', 'pushing', 'pending_registry')`,
  action_required: `o.status = 'TRANSFER_IN_PROGRESS' and ${DECIDED} and t.status = 'action_required'`,
  failed: `o.status = 'TRANSFER_IN_PROGRESS' and t.status = 'failed'`,
  to_confirm: `o.status = 'TRANSFER_IN_PROGRESS' and ${DECIDED} and t.status = 'awaiting_confirmation'`,
  refund_to_decide: `o.status = 'TRANSFER_IN_PROGRESS' and t.cancellation in ('too_late', 'unanswered')`,
};

/** The orders of a stage that were recorded in a stretch of time, after `after`. */
export const selectStage = variantsOf(WORKLIST_STAGES, (stage) =>
  variantsOf(LIST_SORTS, (sort) =>
    defineStatement({
      params: {
        environment: nullable(textOf<Environment>()),
        from: nullable(timestamptz),
        to: nullable(timestamptz),
        after: nullable(text),
        limit: bigint,
      },
      row: WORKLIST_ORDER,
      text: `select ${COLUMNS} from ${TABLES}
      where ${STAGE_CONDITIONS[stage]}
        and (:environment::text is null or o.environment = :environment)
        and (:from::timestamptz is null or o.created_at >= :from)
        and (:to::timestamptz is null or o.created_at < :to)
        and (:after::text is null
             or (o.created_at, o.id) ${sort === 'oldest' ? '>' : '<'}
               (select a.created_at, a.id from orders a where a.id = :after))
      order by o.created_at ${DIRECTIONS[sort]}, o.id ${DIRECTIONS[sort]} limit :limit`,
    }),
  ),
);

/** How many orders are in each stage. */
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
    (stage) => `count(*) filter (where ${STAGE_CONDITIONS[stage]}) as ${stage}`,
  ).join(', ')}
    from orders o left join transfers t on t.order_id = o.id
    where o.status in ('MANUAL_REVIEW', 'EXTERNALLY_PAID', 'PAID', 'TRANSFER_IN_PROGRESS')
      and (:environment::text is null or o.environment = :environment)`,
});

/** Which orders of all partners; null is all. */
export interface AllOrdersFilter {
  partnerId: string | null;
  environment: Environment | null;
  status: OrderStatus | null;
}

/** Orders of all partners. */
export const selectOrders = variantsOf(LIST_SORTS, (sort) =>
  defineStatement({
    params: {
      partnerId: nullable(text),
      environment: nullable(textOf<Environment>()),
      status: nullable(textOf<OrderStatus>()),
      ...ID_PAGE,
    },
    row: WORKLIST_ORDER,
    text: `select ${COLUMNS} from ${TABLES}
      where (:partnerId::text is null or o.partner_id = :partnerId)
        and (:environment::text is null or o.environment = :environment)
        and (:status::text is null or o.status = :status)
        and ${idPageSql('o.id', sort)}`,
  }),
);

/** A page of the orders of a stage. */
export async function readStage(
  sql: Sql,
  stage: WorklistStage,
  { sort, ...page }: ListPage & { environment: Environment | null },
): Promise<WorklistOrder[]> {
  return (await selectStage[stage][sort].all(sql, page)).map(toWorklistOrder);
}

/** A page of the orders of all partners. */
export async function readOrders(
  sql: Sql,
  filter: AllOrdersFilter,
  page: ListPage,
): Promise<WorklistOrder[]> {
  const given = { ...filter, ...idPage('order', page, page.limit) };
  return (await selectOrders[page.sort].all(sql, given)).map(toWorklistOrder);
}

function toWorklistOrder({ salePriceCents, currency, ...rest }: WorklistRow): WorklistOrder {
  return { ...rest, price: new Money(salePriceCents, currency) };
}
