import { prepared, type Sql, type Tx } from '../../platform/database/postgres.ts';
import { Money } from '../../platform/money.ts';
import type { Order, OrderMove, OrderOwner, OrderStatus, TimelineEntry } from './order.ts';

/** Of orders that were taken back nothing is owed any more; the column keeps what was at the sale. */
const IS_REVERSED = `o.status in ('REFUNDED', 'CANCELLED')`;

const COLUMNS = `o.id, o.partner_id as "partnerId", o.environment, o.listing_id as "listingId", o.domain,
  o.status, o.payment_model as "paymentModel", o.sale_price_cents as "salePriceCents",
  o.commission_bps as "commissionBps", o.commission_cents as "commissionCents",
  case when ${IS_REVERSED} then 0 else o.amount_owed_cents end as "amountOwedCents", o.currency,
  o.buyer_email as "buyerEmail", o.buyer_name as "buyerName", o.buyer_country as "buyerCountry",
  o.quote_id as "quoteId", o.external_payment_ref as "externalPaymentRef", o.return_url as "returnUrl",
  o.cancel_url as "cancelUrl", o.review_reasons as "reviewReasons", o.created_at as "createdAt",
  o.updated_at as "updatedAt", o.transfer_completed_at as "transferCompletedAt",
  o.settled_at as "settledAt", o.settlement_id as "settlementId",
  case when ${IS_REVERSED} then (select r.created_at from refunds r where r.order_id = o.id) end
    as "refundedAt",
  o.checkout_session_id as "checkoutSessionId", o.brokerage_case_id as "brokerageCaseId",
  o.referral_link_id as "referralLinkId"`;

type OrderRow = Omit<Order, 'price' | 'commission' | 'amountOwed'> & {
  salePriceCents: number;
  commissionCents: number;
  amountOwedCents: number;
  currency: string;
};

function toOrder(row: OrderRow): Order {
  const { salePriceCents, commissionCents, amountOwedCents, currency, ...rest } = row;
  return {
    ...rest,
    price: new Money(salePriceCents, currency),
    commission: new Money(commissionCents, currency),
    amountOwed: new Money(amountOwedCents, currency),
  };
}

/** Inserts an order with the first entry of its timeline. */
export async function insertOrder(
  tx: Tx,
  order: Order,
  event: string,
  note: string | null,
): Promise<void> {
  await prepared(
    tx,
    `with recorded as (
       insert into orders (id, partner_id, environment, listing_id, domain, status, payment_model,
         sale_price_cents, commission_bps, commission_cents, amount_owed_cents, currency, buyer_email,
         buyer_name, buyer_country, quote_id, external_payment_ref, return_url, cancel_url, review_reasons,
         created_at, updated_at, checkout_session_id, brokerage_case_id, referral_link_id)
       values (:id, :partnerId, :environment, :listingId, :domain, :status, :paymentModel,
         :salePriceCents, :commissionBps, :commissionCents, :amountOwedCents, :currency, :buyerEmail,
         :buyerName, :buyerCountry, :quoteId, :externalPaymentRef, :returnUrl, :cancelUrl, :reviewReasons,
         :createdAt, :createdAt, :checkoutSessionId, :brokerageCaseId, :referralLinkId))
     insert into order_timeline (order_id, at, status, event, note)
     values (:id, :createdAt, :status, :event, :note)`,
    {
      ...order,
      salePriceCents: order.price.amount,
      commissionCents: order.commission.amount,
      amountOwedCents: order.amountOwed.amount,
      currency: order.price.currency,
      event,
      note,
    },
  );
}

/** Orders of this partner since an instant: the measure of its velocity. */
export async function countOrdersSince(tx: Tx, owner: OrderOwner, since: Date): Promise<number> {
  const { rows } = await tx.raw(
    `select count(*) as orders from orders
     where partner_id = :partnerId and environment = :environment and created_at > :since`,
    { ...owner, since },
  );
  return rows[0].orders;
}

/** Fields that a move may set beside the status. */
export interface MoveFields {
  transferCompletedAt?: Date;
}

/** The conditional update of a move, with its timeline entry; undefined when the order is not in a from-state. */
export async function updateStatus(
  tx: Tx,
  id: string,
  move: OrderMove,
  at: { now: Date; note: string | null } & MoveFields,
): Promise<Order | undefined> {
  const { rows } = await prepared(
    tx,
    `with moved as (
       update orders set status = :to, updated_at = :now,
         transfer_completed_at = coalesce(:transferCompletedAt, transfer_completed_at)
       where id = :id and status = any(:from) returning *),
     noted as (
       insert into order_timeline (order_id, at, status, event, note)
       select id, :now, status, :event, :note from moved)
     select ${COLUMNS} from moved o`,
    {
      id,
      from: [...move.from],
      to: move.to,
      event: move.event,
      now: at.now,
      note: at.note,
      transferCompletedAt: at.transferCompletedAt ?? null,
    },
  );
  return rows[0] && toOrder(rows[0]);
}

/** Keeps the link that an order came by; no change of its state. */
export async function updateReferralLink(tx: Tx, id: string, linkId: string): Promise<void> {
  await tx.raw(
    `update orders set referral_link_id = :linkId
     where id = :id and referral_link_id is distinct from :linkId`,
    { id, linkId },
  );
}

/** Adds an entry that is no change of the order's own status (a step of its transfer). */
export async function insertTimelineEntry(
  tx: Tx,
  orderId: string,
  entry: { at: Date; event: string; note: string | null },
): Promise<void> {
  await tx.raw(
    `insert into order_timeline (order_id, at, status, event, note)
     select id, :at, status, :event, :note from orders where id = :orderId`,
    { orderId, ...entry },
  );
}

export async function findOrder(
  sql: Sql,
  owner: OrderOwner,
  id: string,
): Promise<Order | undefined> {
  const { rows } = await sql.raw(
    `select ${COLUMNS} from orders o
     where id = :id and partner_id = :partnerId and environment = :environment`,
    { ...owner, id },
  );
  return rows[0] && toOrder(rows[0]);
}

/** Whether an order since an instant, of any partner, has this listing; those taken back don't count. */
export async function hasSaleSince(tx: Tx, listingId: number, since: Date): Promise<boolean> {
  // The statuses are written out as those of the index `orders_one_sale_per_listing`.
  const { rows } = await tx.raw(
    `select 1 from orders where listing_id = :listingId and created_at >= :since
       and status not in ('REFUNDED', 'CANCELLED')`,
    { listingId, since },
  );
  return rows.length > 0;
}

/** For ops and workers, who act for every partner. */
export async function findOrderById(sql: Sql, id: string): Promise<Order | undefined> {
  const { rows } = await sql.raw(`select ${COLUMNS} from orders o where id = :id`, { id });
  return rows[0] && toOrder(rows[0]);
}

/** The same, locked until the transaction ends. */
export async function lockOrder(tx: Tx, id: string): Promise<Order | undefined> {
  const { rows } = await tx.raw(`select ${COLUMNS} from orders o where id = :id for update`, {
    id,
  });
  return rows[0] && toOrder(rows[0]);
}

/** Orders of all partners that wait for a decision, oldest first. */
export async function listInReview(sql: Sql, limit: number): Promise<Order[]> {
  const { rows } = await sql.raw(
    `select ${COLUMNS} from orders o where status = 'MANUAL_REVIEW' order by created_at, id limit :limit`,
    { limit },
  );
  return rows.map(toOrder);
}

export interface TransferSummary {
  id: string;
  status: string;
  method: string;
  registrar: string | null;
  attempts: number;
  reason: string | null;
  /** What a refund waits for; for ops. */
  cancellation: 'requested' | 'too_late' | 'unanswered' | null;
  updatedAt: Date;
}

export interface RefundSummary {
  id: string;
  /** `pending` while the push of the domain is being stopped, or until staff has decided. */
  status: 'pending' | 'completed' | 'declined';
  reason: string;
  createdAt: Date;
  completedAt: Date | null;
}

export interface OrderDetail {
  order: Order;
  timeline: TimelineEntry[];
  transfer: TransferSummary | null;
  /** The newest one. */
  refund: RefundSummary | null;
}

const DETAIL = `${COLUMNS},
  (select coalesce(json_agg(json_build_object('at', t.at, 'status', t.status, 'event', t.event,
     'note', t.note) order by t.id), '[]') from order_timeline t where t.order_id = o.id) as timeline,
  (select json_build_object('id', t.id, 'status', t.status, 'method', t.method,
     'registrar', t.registrar, 'attempts', t.attempts, 'reason', t.reason,
     'cancellation', t.cancellation, 'updatedAt', t.updated_at)
   from transfers t where t.order_id = o.id) as transfer,
  (select json_build_object('id', r.id, 'status', r.status, 'reason', r.reason,
     'createdAt', r.created_at, 'completedAt', r.completed_at)
   from (
     select f.id, 'completed' as status, f.reason, coalesce(q.created_at, f.created_at) as created_at,
       f.created_at as completed_at
     from refunds f left join refund_requests q on q.id = f.id where f.order_id = o.id
     union all
     select q.id, q.status, q.reason, q.created_at, null from refund_requests q
     where q.order_id = o.id and q.status <> 'completed') r
   order by r.created_at desc limit 1) as refund`;

/** An order with its timeline and its transfer, in one statement. */
export async function findOrderDetail(
  sql: Sql,
  owner: OrderOwner,
  id: string,
): Promise<OrderDetail | undefined> {
  const { rows } = await prepared(
    sql,
    `select ${DETAIL}
     from orders o where id = :id and partner_id = :partnerId and environment = :environment`,
    { ...owner, id },
  );
  return rows[0] && toDetail(rows[0]);
}

/** The same of any partner's order, with the partner's name; for ops. */
export async function findOrderDetailById(
  sql: Sql,
  id: string,
): Promise<(OrderDetail & { partnerName: string }) | undefined> {
  const { rows } = await sql.raw(
    `select ${DETAIL}, (select p.name from partners p where p.id = o.partner_id) as "partnerName"
     from orders o where id = :id`,
    { id },
  );
  if (!rows[0]) return undefined;
  const { partnerName, ...detail } = rows[0];
  return { ...toDetail(detail), partnerName };
}

function toDetail({
  timeline,
  transfer,
  refund,
  ...row
}: OrderRow & Pick<OrderDetail, 'timeline' | 'transfer' | 'refund'>): OrderDetail {
  return {
    order: toOrder(row),
    timeline: timeline.map((entry) => ({ ...entry, at: new Date(entry.at) })),
    transfer: transfer && { ...transfer, updatedAt: new Date(transfer.updatedAt) },
    refund: refund && {
      ...refund,
      createdAt: new Date(refund.createdAt),
      completedAt: refund.completedAt && new Date(refund.completedAt),
    },
  };
}

export interface OrderFilter {
  statuses: readonly OrderStatus[] | null;
  domain: string | null;
  from: Date | null;
  to: Date | null;
  /** The last row of the page before. */
  before: { createdAt: Date; id: string } | null;
  limit: number;
}

/** Newest first. */
export async function listOrders(
  sql: Sql,
  owner: OrderOwner,
  filter: OrderFilter,
): Promise<Order[]> {
  const { rows } = await sql.raw(
    `select ${COLUMNS} from orders o
     where partner_id = :partnerId and environment = :environment
       and (:statuses::text[] is null or status = any(:statuses))
       and (:domain::text is null or domain = :domain)
       and (:from::timestamptz is null or created_at >= :from)
       and (:to::timestamptz is null or created_at < :to)
       and (:beforeAt::timestamptz is null or (created_at, id) < (:beforeAt, :beforeId::text))
     order by created_at desc, id desc limit :limit`,
    {
      ...owner,
      ...filter,
      statuses: filter.statuses && [...filter.statuses],
      beforeAt: filter.before?.createdAt ?? null,
      beforeId: filter.before?.id ?? null,
    },
  );
  return rows.map(toOrder);
}

/** What a statement needs of a delivered order. */
export type DeliveredOrder = Pick<
  Order,
  'id' | 'domain' | 'status' | 'paymentModel' | 'price' | 'commission'
> & { transferCompletedAt: Date };

type DeliveredRow = Omit<DeliveredOrder, 'price' | 'commission'> & {
  salePriceCents: number;
  commissionCents: number;
  currency: string;
};

/** Up to `limit` delivered orders that are in no statement, oldest delivery first, locked. */
export async function lockDelivered(
  tx: Tx,
  owner: OrderOwner,
  batch: { currency: string; deliveredBy: Date; limit: number },
): Promise<DeliveredOrder[]> {
  const { rows } = await tx.raw(
    `select id, domain, status, payment_model as "paymentModel", sale_price_cents as "salePriceCents",
       commission_cents as "commissionCents", currency, transfer_completed_at as "transferCompletedAt"
     from orders
     where partner_id = :partnerId and environment = :environment and settlement_id is null
       and transfer_completed_at <= :deliveredBy and currency = :currency
     order by transfer_completed_at, id limit :limit for update`,
    { partnerId: owner.partnerId, environment: owner.environment, ...batch },
  );
  return rows.map(({ salePriceCents, commissionCents, currency, ...rest }: DeliveredRow) => ({
    ...rest,
    price: new Money(salePriceCents, currency),
    commission: new Money(commissionCents, currency),
  }));
}

/** Puts orders into a statement; those that `move` allows are moved, with their timeline entry, and returned. */
export async function assignToSettlement(
  tx: Tx,
  ids: readonly string[],
  move: OrderMove,
  at: { settlementId: string; now: Date },
): Promise<Set<string>> {
  const { rows } = await tx.raw(
    `with locked as (
       select id, status = any(:from) as moves from orders
       where id = any(:ids) and settlement_id is null),
     settled as (
       update orders o set settlement_id = :settlementId,
         status = case when l.moves then :to else o.status end,
         settled_at = case when l.moves then :now::timestamptz else o.settled_at end,
         updated_at = case when l.moves then :now::timestamptz else o.updated_at end
       from locked l where o.id = l.id
       returning o.id, l.moves),
     noted as (
       insert into order_timeline (order_id, at, status, event)
       select id, :now, :to, :event from settled where moves)
     select id from settled where moves`,
    { ids: [...ids], from: [...move.from], to: move.to, event: move.event, ...at },
  );
  return new Set(rows.map((row: { id: string }) => row.id));
}
