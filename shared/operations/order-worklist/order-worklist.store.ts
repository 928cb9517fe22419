import type { Environment } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { Money } from '../../platform/money.ts';
import type { OrderStatus, PaymentModel } from '../../sales/orders/order.ts';
import type { Cancellation, TransferStatus } from '../../sales/transfers/transfer.ts';

/** What ops may have to do with an order, in the order in which it comes up. */
export const WORKLIST_STAGES = [
  'review',
  'to_push',
  'under_way',
  'action_required',
  'failed',
  'to_confirm',
  'refund_to_decide',
] as const;

export type WorklistStage = (typeof WORKLIST_STAGES)[number];

/** An order in a list of ops: what tells it apart, and how its transfer fares. */
export interface WorklistOrder {
  id: string;
  partnerId: string;
  partnerName: string;
  environment: Environment;
  domain: string;
  status: OrderStatus;
  paymentModel: PaymentModel;
  price: Money;
  buyerEmail: string;
  buyerCountry: string | null;
  reviewReasons: readonly string[];
  createdAt: Date;
  updatedAt: Date;
  /** Null before the transfer's start, like the three below. */
  transferStatus: TransferStatus | null;
  transferReason: string | null;
  transferAttempts: number | null;
  transferUpdatedAt: Date | null;
  /** What a refund waits for that is held until the push is known to be stopped. */
  cancellation: Cancellation | null;
}

const COLUMNS = `o.id, o.partner_id as "partnerId", p.name as "partnerName", o.environment, o.domain,
  o.status, o.payment_model as "paymentModel", o.sale_price_cents as "salePriceCents", o.currency,
  o.buyer_email as "buyerEmail", o.buyer_country as "buyerCountry", o.review_reasons as "reviewReasons",
  o.created_at as "createdAt", o.updated_at as "updatedAt", t.status as "transferStatus",
  t.reason as "transferReason", t.attempts as "transferAttempts", t.updated_at as "transferUpdatedAt",
  t.cancellation`;

const TABLES = `orders o join partners p on p.id = o.partner_id
  left join transfers t on t.order_id = o.id`;

/** No refund waits for staff; one that waits for the registrar will be decided by it. */
const DECIDED = `(t.cancellation is null or t.cancellation = 'requested')`;

// The statuses are written out: only so does the planner see that `orders_open_work` holds them all.
const STAGE_CONDITIONS: Record<WorklistStage, string> = {
  review: `o.status = 'MANUAL_REVIEW'`,
  to_push: `o.status in ('EXTERNALLY_PAID', 'PAID')`,
  under_way: `o.status = 'TRANSFER_IN_PROGRESS' and ${DECIDED}
    and t.status in ('queued', 'pushing', 'pending_registry')`,
  action_required: `o.status = 'TRANSFER_IN_PROGRESS' and ${DECIDED} and t.status = 'action_required'`,
  failed: `o.status = 'TRANSFER_IN_PROGRESS' and t.status = 'failed'`,
  to_confirm: `o.status = 'TRANSFER_IN_PROGRESS' and ${DECIDED} and t.status = 'awaiting_confirmation'`,
  refund_to_decide: `o.status = 'TRANSFER_IN_PROGRESS' and t.cancellation in ('too_late', 'unanswered')`,
};

type WorkRow = Omit<WorklistOrder, 'price'> & { salePriceCents: number; currency: string };

function toWorkOrder({ salePriceCents, currency, ...rest }: WorkRow): WorklistOrder {
  return { ...rest, price: new Money(salePriceCents, currency) };
}

/** The orders of a stage after `after`, the oldest first. */
export async function listStage(
  sql: Sql,
  stage: WorklistStage,
  page: { environment: Environment | null; after: string | null; limit: number },
): Promise<WorklistOrder[]> {
  const { rows } = await sql.raw(
    `select ${COLUMNS} from ${TABLES}
     where ${STAGE_CONDITIONS[stage]}
       and (:environment::text is null or o.environment = :environment)
       and (:after::text is null
            or (o.created_at, o.id) > (select a.created_at, a.id from orders a where a.id = :after))
     order by o.created_at, o.id limit :limit`,
    page,
  );
  return rows.map(toWorkOrder);
}

/** How many orders are in each stage that has any. */
export async function countStages(
  sql: Sql,
  environment: Environment | null,
): Promise<Partial<Record<WorklistStage, number>>> {
  const counts = WORKLIST_STAGES.map(
    (stage) => `count(*) filter (where ${STAGE_CONDITIONS[stage]}) as ${stage}`,
  );
  const { rows } = await sql.raw(
    `select ${counts.join(', ')} from orders o left join transfers t on t.order_id = o.id
     where o.status in ('MANUAL_REVIEW', 'EXTERNALLY_PAID', 'PAID', 'TRANSFER_IN_PROGRESS')
       and (:environment::text is null or o.environment = :environment)`,
    { environment },
  );
  return rows[0];
}

export interface AllOrdersFilter {
  /** As an A-label. */
  domain: string | null;
  partnerId: string | null;
  environment: Environment | null;
  status: OrderStatus | null;
  /** The id of the last order of the page before. */
  before: string | null;
  limit: number;
}

/** Orders of all partners, newest first. */
export async function listAnyOrders(sql: Sql, filter: AllOrdersFilter): Promise<WorklistOrder[]> {
  const wanted = [
    filter.domain !== null && 'o.domain = :domain',
    filter.partnerId !== null && 'o.partner_id = :partnerId',
    filter.environment !== null && 'o.environment = :environment',
    filter.status !== null && 'o.status = :status',
    filter.before !== null && 'o.id < :before',
  ].filter((each) => each !== false);
  const { rows } = await sql.raw(
    `select ${COLUMNS} from ${TABLES}
     where ${wanted.length === 0 ? 'true' : wanted.join(' and ')} order by o.id desc limit :limit`,
    { ...filter },
  );
  return rows.map(toWorkOrder);
}
