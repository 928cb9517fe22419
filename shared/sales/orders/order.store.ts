import type { DeliveryMethod } from '../../people/partners/partner.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Pipeline } from '../../platform/database/pipeline.ts';
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
import { TIME_PAGE, timePage, timePageSql } from '../../platform/database/time-page.ts';
import { Money } from '../../platform/money.ts';
import type {
  Order,
  OrderAction,
  OrderMove,
  OrderOwner,
  OrderStatus,
  PaymentModel,
} from './order.ts';
import { PAYMENT_MODELS } from './order.ts';

/** Matches reversed orders, for which nothing is owed anymore. Their column keeps the amount at the sale. */
const IS_REVERSED = `o.status in ('REFUNDED', 'CANCELLED')`;

/** The columns to read an order from `orders o`. */
export const ORDER_COLUMNS = `o.id, o.partner_id as "partnerId", o.environment, o.listing_id as "listingId", o.domain,
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
  o.referral_link_id as "referralLinkId",
  case when not ${IS_REVERSED} then o.action_required end as "actionRequired", o.delivery_method as "deliveryMethod",
  o.gaining_registrar as "gainingRegistrar", o.sale_number as "saleNumber"`;
/** The fields of a new order. */
const SALE = {
  id: text,
  partnerId: text,
  environment: textOf<Environment>(),
  listingId: nullable(bigint),
  domain: text,
  status: textOf<OrderStatus>(),
  paymentModel: textOf<PaymentModel>(),
  salePriceCents: bigint,
  commissionBps: integer,
  commissionCents: bigint,
  amountOwedCents: bigint,
  currency: text,
  buyerEmail: text,
  buyerName: nullable(text),
  buyerCountry: nullable(text),
  quoteId: nullable(text),
  externalPaymentRef: nullable(text),
  returnUrl: nullable(text),
  cancelUrl: nullable(text),
  reviewReasons: arrayOf(text),
  createdAt: timestamptz,
  checkoutSessionId: nullable(text),
  brokerageCaseId: nullable(text),
  referralLinkId: nullable(text),
  actionRequired: nullable(textOf<OrderAction>()),
  deliveryMethod: nullable(textOf<DeliveryMethod>()),
  gainingRegistrar: nullable(text),
  saleNumber: integer,
};
/** The types of {@link ORDER_COLUMNS}. */
export const ORDER = {
  ...SALE,
  updatedAt: timestamptz,
  transferCompletedAt: nullable(timestamptz),
  settledAt: nullable(timestamptz),
  settlementId: nullable(text),
  refundedAt: nullable(timestamptz),
};
/** The owner of an order. */
export const OWNER = { partnerId: text, environment: textOf<Environment>() };

/** Inserts an order and the first entry of its timeline. */
export const insertOrder = defineStatement({
  params: { ...SALE, event: text, note: nullable(text) },
  text: `with recorded as (
      insert into orders (id, partner_id, environment, listing_id, domain, status, payment_model,
        sale_price_cents, commission_bps, commission_cents, amount_owed_cents, currency, buyer_email,
        buyer_name, buyer_country, quote_id, external_payment_ref, return_url, cancel_url, review_reasons,
        created_at, updated_at, checkout_session_id, brokerage_case_id, referral_link_id, action_required,
        delivery_method, gaining_registrar, sale_number)
      values (:id, :partnerId, :environment, :listingId, :domain, :status, :paymentModel,
        :salePriceCents, :commissionBps, :commissionCents, :amountOwedCents, :currency, :buyerEmail,
        :buyerName, :buyerCountry, :quoteId, :externalPaymentRef, :returnUrl, :cancelUrl, :reviewReasons,
        :createdAt, :createdAt, :checkoutSessionId, :brokerageCaseId, :referralLinkId,
        :actionRequired, :deliveryMethod, :gainingRegistrar, :saleNumber))
    insert into order_timeline (order_id, at, status, event, note)
    values (:id, :createdAt, :status, :event, :note)`,
  plan: 'once',
});

/** Counts a partner's orders since an instant, for the velocity rule; and whether any screening lists exist. */
export const selectReviewFacts = defineStatement({
  params: { ...OWNER, since: timestamptz },
  row: { orders: bigint, hasLists: boolean },
  text: `select count(*) as orders, exists (select 1 from screening_lists) as "hasLists" from orders
    where partner_id = :partnerId and environment = :environment and created_at > :since`,
});

/** Selects the buyers of the next LIVE orders in these statuses, by id. */
export const selectBuyersAfter = defineStatement({
  params: { statuses: arrayOf(textOf<OrderStatus>()), after: text, limit: bigint },
  row: { id: text, email: text, name: nullable(text), country: nullable(text) },
  text: `select id, buyer_email as email, buyer_name as name, buyer_country as country from orders
    where environment = 'LIVE' and status = any(:statuses) and id > :after order by id limit :limit`,
});

/** Adds a reason for staff to review an order. */
export const updateReviewReason = defineStatement({
  params: { id: text, reason: text },
  text: `update orders set review_reasons = array_append(review_reasons, :reason)
    where id = :id and not :reason = any(review_reasons)`,
});

/** Moves an order from a `from` status to `to`, with a timeline entry. Returns no row if it has another status. */
export const updateStatus = defineStatement({
  params: {
    id: text,
    from: arrayOf(textOf<OrderStatus>()),
    to: textOf<OrderStatus>(),
    event: text,
    note: nullable(text),
    now: timestamptz,
    transferCompletedAt: nullable(timestamptz),
  },
  row: ORDER,
  text: `with moved as (
      update orders set status = :to, updated_at = :now,
        transfer_completed_at = coalesce(:transferCompletedAt, transfer_completed_at)
      where id = :id and status = any(:from) returning *),
    noted as (
      insert into order_timeline (order_id, at, status, event, note)
      select id, :now, status, :event, :note from moved)
    select ${ORDER_COLUMNS} from moved o`,
  plan: 'once',
});

/** Sets the referral link that an order came from. Does not change its status. */
export const updateReferralLink = defineStatement({
  params: { id: text, linkId: text },
  text: `update orders set referral_link_id = :linkId
    where id = :id and referral_link_id is distinct from :linkId`,
});

/** Records that an order no longer needs action. */
export const updateActionDone = defineStatement({
  params: { id: text, now: timestamptz },
  text: 'update orders set action_required = null, updated_at = :now where id = :id',
});

/** Adds a timeline entry that does not change the order's own status (for example a step of its transfer). */
export const insertTimelineEntry = defineStatement({
  params: { orderId: text, at: timestamptz, event: text, note: nullable(text) },
  text: `insert into order_timeline (order_id, at, status, event, note)
    select id, :at, status, :event, :note from orders where id = :orderId`,
  plan: 'once',
});

/** Selects a partner's order. */
export const selectOwnOrder = defineStatement({
  params: { ...OWNER, id: text },
  row: ORDER,
  text: `select ${ORDER_COLUMNS} from orders o
    where id = :id and partner_id = :partnerId and environment = :environment`,
});

/** Selects an order of a domain, by any partner, made since an instant or not yet delivered, and not reversed. */
export const selectSaleSince = defineStatement({
  params: { environment: textOf<Environment>(), domain: text, since: timestamptz },
  row: { id: text },
  text: `select id from orders where environment = :environment and domain = :domain
    and (created_at >= :since or transfer_completed_at is null)
    and status not in ('REFUNDED', 'CANCELLED') limit 1`,
});

/** Selects an order of any partner, for operators and workers. */
export const selectOrder = defineStatement({
  params: { id: text },
  row: ORDER,
  text: `select ${ORDER_COLUMNS} from orders o where id = :id`,
});

/** Like {@link selectOrder}, and locks the row until the transaction ends. */
export const selectForUpdate = defineStatement({
  params: { id: text },
  row: ORDER,
  text: `select ${ORDER_COLUMNS} from orders o where id = :id for update`,
  plan: 'once',
});

/** Selects how far the clock of an order's owner is ahead of real time, in milliseconds; 0 in LIVE. */
export const selectAheadOfOwner = defineStatement({
  params: { id: text },
  row: { aheadMs: bigint },
  text: `select coalesce(c.ahead_ms, 0) as "aheadMs" from orders o
    left join sandbox_clocks c on c.partner_id = o.partner_id and o.environment = 'SANDBOX'
    where o.id = :id`,
  plan: 'once',
});

/** Selects the orders of all partners that wait for a decision, oldest first. */
export const selectInReview = defineStatement({
  params: { limit: bigint },
  row: ORDER,
  text: `select ${ORDER_COLUMNS} from orders o where status = 'MANUAL_REVIEW'
    order by created_at, id limit :limit`,
});

/** The SQL for a partner's newest orders that meet a further condition. */
const newest = (further: string) => `select ${ORDER_COLUMNS} from orders o
    where o.partner_id = :partnerId and o.environment = :environment and ${further}
      and ${timePageSql('o.created_at', 'o.id')}`;

/** The SQL for each kind of page. `ofStatuses` reads each status by itself, using the index `orders_newest_by_kind`. */
const NEWEST = {
  all: newest('true'),
  ofStatuses: `select found.* from unnest(:statuses::text[]) as w (status),
      unnest('{${PAYMENT_MODELS}}'::text[]) as m (model),
      lateral (${newest('o.status = w.status and o.payment_model = m.model')}) found
    order by "createdAt" desc, id desc limit :limit`,
  ofDomain: newest(
    'o.domain = :domain and (:statuses::text[] is null or o.status = any(:statuses))',
  ),
};

/** Selects a page of a partner's orders, newest first. */
export const selectOrders = variantsOf(['all', 'ofStatuses', 'ofDomain'], (which) =>
  defineStatement({
    params: {
      ...OWNER,
      statuses: nullable(arrayOf(textOf<OrderStatus>())),
      domain: nullable(text),
      ...TIME_PAGE,
    },
    row: ORDER,
    text: NEWEST[which],
    plan: 'once',
  }),
);

/** Inserts an order and the first entry of its timeline. */
export async function writeOrder(
  pipeline: Pipeline,
  order: Order,
  event: string,
  note: string | null,
): Promise<void> {
  const { price, commission, amountOwed, ...rest } = order;
  await insertOrder.send(pipeline, {
    ...rest,
    salePriceCents: price.amount,
    commissionCents: commission.amount,
    amountOwedCents: amountOwed.amount,
    currency: price.currency,
    event,
    note,
  });
}

/** Fields that a move may set besides the status. */
export interface MoveFields {
  transferCompletedAt?: Date;
}

/** Makes a move and adds its timeline entry. Returns undefined if the order's status is not in `from`. */
export async function changeStatus(
  tx: Tx,
  id: string,
  { from, to, event }: OrderMove,
  { now, note, transferCompletedAt }: { now: Date; note: string | null } & MoveFields,
): Promise<Order | undefined> {
  return toOrderOrNone(
    await updateStatus.first(tx, {
      id,
      from,
      to,
      event,
      now,
      note,
      transferCompletedAt: transferCompletedAt ?? null,
    }),
  );
}

/** Reads a partner's order. */
export async function readOwnOrder(
  sql: Sql,
  { partnerId, environment }: OrderOwner,
  id: string,
): Promise<Order | undefined> {
  return toOrderOrNone(await selectOwnOrder.first(sql, { id, partnerId, environment }));
}

/** Reads an order of any partner, for operators and workers. */
export async function readOrder(sql: Sql, id: string): Promise<Order | undefined> {
  return toOrderOrNone(await selectOrder.first(sql, { id }));
}

/**
 * Locks an order until the transaction ends, and then reads, in the same round trip, how far its owner's clock is
 * ahead.
 */
export async function lockOrder(
  tx: Tx,
  id: string,
): Promise<{ order: Order; aheadMs: number } | undefined> {
  const [row, time] = await Promise.all([
    selectForUpdate.first(tx, { id }),
    selectAheadOfOwner.first(tx, { id }),
  ]);
  return row && time && { order: toOrder(row), aheadMs: time.aheadMs };
}

/** Reads the orders of all partners that wait for a decision, oldest first. */
export async function readInReview(sql: Sql, limit: number): Promise<Order[]> {
  return (await selectInReview.all(sql, { limit })).map(toOrder);
}

/** A filter for a partner's orders; null matches all. */
export interface OrderFilter {
  statuses: readonly OrderStatus[] | null;
  domain: string | null;
  from: Date | null;
  to: Date | null;
  /** The last row of the previous page. */
  before: { createdAt: Date; id: string } | null;
  limit: number;
}

/** Reads a page of a partner's orders, newest first. */
export async function readOrders(
  sql: Sql,
  { partnerId, environment }: OrderOwner,
  { statuses, domain, limit, ...period }: OrderFilter,
): Promise<Order[]> {
  const all = statuses === null ? 'all' : 'ofStatuses';
  const rows = await selectOrders[domain === null ? all : 'ofDomain'].all(sql, {
    partnerId,
    environment,
    statuses,
    domain,
    ...timePage(period, limit),
  });
  return rows.map(toOrder);
}

/** Converts a row to an order. */
export function toOrder(row: RowOf<typeof ORDER>): Order {
  const { salePriceCents, commissionCents, amountOwedCents, currency, ...rest } = row;
  return {
    ...rest,
    price: new Money(salePriceCents, currency),
    commission: new Money(commissionCents, currency),
    amountOwed: new Money(amountOwedCents, currency),
  };
}

function toOrderOrNone(row: RowOf<typeof ORDER> | undefined): Order | undefined {
  return row && toOrder(row);
}
