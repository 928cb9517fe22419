import type { Environment } from '../../platform/config/config.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  date,
  json,
  nullable,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';

/** The figures of each day. Amounts are minor units, durations milliseconds. */
export const FIGURES = [
  // By currency: recorded orders, and their prices.
  'orders',
  'gmv',
  // Delivered orders: their number, and the total and longest time from order to delivery.
  'deliveries',
  'delivery_ms',
  'slowest_delivery_ms',
  // The longest time that an order had waited in review.
  'review_age_ms',
  // Webhook deliveries of the day's events, by how they ended.
  'webhooks_delivered',
  'webhooks_failed',
  // By queue: finished jobs, and the longest time that a due job had waited.
  'jobs_done',
  'job_age_ms',
  // By currency: closed statements.
  'settled_gross',
  'settled_commission',
  'settled_owed',
] as const;

export type Figure = (typeof FIGURES)[number];

const BY_ID = { day: date, first: text, last: text };
const BY_TIME = { day: date, since: timestamptz, until: timestamptz };

/** Returns SQL that replaces a day's figures with those of a query. */
function recount(query: string): string {
  return `insert into daily_figures (environment, day, figure, part, value)
    select f.environment, :day::date, f.figure, f.part, f.value from (${query}) f
    where f.value is not null
    on conflict (environment, day, figure, part) do update set value = excluded.value`;
}

/** Counts the orders of one day, by the primary key: ids sort by time. */
export const countOrders = defineStatement({
  params: BY_ID,
  text: recount(`select o.environment, v.figure, o.part, v.value
    from (select environment, currency as part, count(*) as orders, sum(sale_price_cents)::bigint as gmv
      from orders where id between :first and :last group by 1, 2) o,
    lateral (values ('orders', o.orders), ('gmv', o.gmv)) v (figure, value)`),
});

/** Counts the deliveries of orders on one day, from the day's events, by the primary key. */
export const countOrderDeliveries = defineStatement({
  params: BY_ID,
  text: recount(`select d.environment, v.figure, '' as part, v.value
    from (select o.environment, count(*) as deliveries, sum(s.ms)::bigint as total, max(s.ms)::bigint as slowest
      from events e join orders o on o.id = e.subject,
        lateral (select extract(epoch from e.created_at - o.created_at) * 1000 as ms) s
      where e.id between :first and :last and e.type = 'order.transfer_completed' group by 1) d,
    lateral (values ('deliveries', d.deliveries), ('delivery_ms', d.total),
      ('slowest_delivery_ms', d.slowest)) v (figure, value)`),
});

/**
 * The webhook deliveries of one day, by an index: in LIVE by their creation, in SANDBOX by the time of their events,
 * which is the partner's time.
 */
const DELIVERIES_OF_DAY = `(
        select partner_id, environment, state from webhook_deliveries
        where id between :first and :last and environment = 'LIVE'
        union all
        select partner_id, environment, state from webhook_deliveries
        where event_id between :firstEvent and :lastEvent and environment = 'SANDBOX')`;
const BY_EVENT_ID = { ...BY_ID, firstEvent: text, lastEvent: text };

/** Counts the webhook deliveries of one day. */
export const countWebhooks = defineStatement({
  params: BY_EVENT_ID,
  text: recount(`select w.environment, v.figure, '' as part, v.value
    from (select environment, count(*) filter (where state = 'delivered') as delivered,
        count(*) filter (where state = 'exhausted') as failed
      from ${DELIVERIES_OF_DAY} d group by 1) w,
    lateral (values ('webhooks_delivered', w.delivered), ('webhooks_failed', w.failed)) v (figure, value)`),
});

/** The figures of each day for each partner. Amounts are minor units. */
export const PARTNER_FIGURES = [
  // By currency: recorded orders, their prices, and the partner's earnings from them.
  'orders',
  'gmv',
  'commission',
  // Opened checkout sessions, and how many of them have been paid.
  'checkouts',
  'checkouts_paid',
  // Webhook deliveries of the day's events, by how they ended.
  'webhooks_delivered',
  'webhooks_failed',
] as const;

export type PartnerFigure = (typeof PARTNER_FIGURES)[number];

function recountByPartner(query: string): string {
  return `insert into partner_daily_figures (partner_id, environment, day, figure, part, value)
    select f.partner_id, f.environment, :day::date, f.figure, f.part, f.value from (${query}) f
    on conflict (partner_id, environment, day, figure, part) do update set value = excluded.value`;
}

/** Counts the orders of one day by partner, see {@link countOrders}. */
export const countPartnerOrders = defineStatement({
  params: BY_ID,
  text: recountByPartner(`select o.partner_id, o.environment, v.figure, o.part, v.value
    from (select partner_id, environment, currency as part, count(*) as orders,
        sum(sale_price_cents)::bigint as gmv, sum(commission_cents)::bigint as commission
      from orders where id between :first and :last group by 1, 2, 3) o,
    lateral (values ('orders', o.orders), ('gmv', o.gmv), ('commission', o.commission)) v (figure, value)`),
});

/** The checkout sessions of one day by partner, by the primary key. A session without an order is deleted at some time; the day keeps it. */
export const countPartnerCheckouts = defineStatement({
  params: BY_ID,
  text: recountByPartner(`select s.partner_id, s.environment, v.figure, '' as part, v.value
    from (select partner_id, environment, count(*) as opened, count(*) filter (where status = 'paid') as paid
      from checkout_sessions where id between :first and :last group by 1, 2) s,
    lateral (values ('checkouts', s.opened), ('checkouts_paid', s.paid)) v (figure, value)`),
});

/** Counts the webhook deliveries of one day by partner, see {@link countWebhooks}. */
export const countPartnerWebhooks = defineStatement({
  params: BY_EVENT_ID,
  text: recountByPartner(`select w.partner_id, w.environment, v.figure, '' as part, v.value
    from (select partner_id, environment, count(*) filter (where state = 'delivered') as delivered,
        count(*) filter (where state = 'exhausted') as failed
      from ${DELIVERIES_OF_DAY} d group by 1, 2) w,
    lateral (values ('webhooks_delivered', w.delivered), ('webhooks_failed', w.failed)) v (figure, value)`),
});

/** Counts the jobs finished on one day, by the index `outbox_done`; jobs deleted since stay counted. */
export const countJobs = defineStatement({
  params: BY_TIME,
  text: `insert into daily_figures as f (environment, day, figure, part, value)
    select 'ALL', :day::date, 'jobs_done', queue, count(*)
    from outbox where state = 'done' and done_at >= :since and done_at < :until group by queue
    on conflict (environment, day, figure, part) do update set value = greatest(f.value, excluded.value)`,
});

/** Counts the statements closed on one day; they were created in the days before, found by the primary key. */
export const countStatements = defineStatement({
  params: { ...BY_ID, ...BY_TIME },
  text: recount(`select s.environment, v.figure, s.part, v.value
    from (select environment, currency as part, sum(gross_sold_cents)::bigint as gross,
        sum(commission_retained_cents)::bigint as commission, sum(amount_owed_cents)::bigint as owed
      from settlements
      where id between :first and :last and closed_at >= :since and closed_at < :until group by 1, 2) s,
    lateral (values ('settled_gross', s.gross), ('settled_commission', s.commission),
      ('settled_owed', s.owed)) v (figure, value)`),
});

/** Records how long the oldest order in review has waited, by `orders_by_status`; a day keeps its maximum. */
export const sampleReview = defineStatement({
  params: { day: date, now: timestamptz },
  text: `insert into daily_figures as f (environment, day, figure, part, value)
    select environment, :day::date, 'review_age_ms', '',
      greatest(0, extract(epoch from :now::timestamptz - min(created_at)) * 1000)::bigint
    from orders where environment in ('LIVE', 'SANDBOX') and status = 'MANUAL_REVIEW' group by environment
    on conflict (environment, day, figure, part) do update set value = greatest(f.value, excluded.value)`,
});

/** Records the waiting times of queues; a day keeps its maximum. */
export const sampleJobAges = defineStatement({
  params: { day: date, queues: arrayOf(text), ages: arrayOf(bigint) },
  text: `insert into daily_figures as f (environment, day, figure, part, value)
    select 'ALL', :day::date, 'job_age_ms', s.queue, s.age
    from unnest(:queues::text[], :ages::bigint[]) s (queue, age)
    on conflict (environment, day, figure, part) do update set value = greatest(f.value, excluded.value)`,
});

/** Returns SQL that stores the counts of several days, per partner's sandbox and for all sandboxes together. */
function countAhead(counted: string): string {
  return `with counted as (${counted}), of_all as (
      insert into daily_figures (environment, day, figure, part, value)
      select 'SANDBOX', day, figure, part, sum(value)::bigint from counted
      where figure = any(:figures) group by day, figure, part
      on conflict (environment, day, figure, part) do update set value = excluded.value)
    insert into partner_daily_figures (partner_id, environment, day, figure, part, value)
    select partner_id, 'SANDBOX', day, figure, part, value from counted
    on conflict (partner_id, environment, day, figure, part) do update set value = excluded.value`;
}

/** Parameters for counting days ahead; `figures` are those that are also summed over all partners. */
const AHEAD = { first: text, last: text, figures: arrayOf(textOf<Figure>()) };
const DAY_AHEAD = (column: string) => `(${column} at time zone 'UTC')::date`;

/** Counts the orders of sandboxes that are ahead of real time, by their day: only they have ids in the future. */
export const countOrdersAhead = defineStatement({
  params: AHEAD,
  text: countAhead(`select o.partner_id, o.day, v.figure, o.part, v.value
    from (select partner_id, ${DAY_AHEAD('created_at')} as day, currency as part, count(*) as orders,
        sum(sale_price_cents)::bigint as gmv, sum(commission_cents)::bigint as commission
      from orders where id between :first and :last and environment = 'SANDBOX' group by 1, 2, 3) o,
    lateral (values ('orders', o.orders), ('gmv', o.gmv), ('commission', o.commission)) v (figure, value)`),
});

/** Counts the checkout sessions of the same sandboxes. */
export const countCheckoutsAhead = defineStatement({
  params: AHEAD,
  text: countAhead(`select s.partner_id, s.day, v.figure, '' as part, v.value
    from (select partner_id, ${DAY_AHEAD('created_at')} as day, count(*) as opened,
        count(*) filter (where status = 'paid') as paid
      from checkout_sessions where id between :first and :last and environment = 'SANDBOX' group by 1, 2) s,
    lateral (values ('checkouts', s.opened), ('checkouts_paid', s.paid)) v (figure, value)`),
});

/** Counts the webhook deliveries of the events of the same sandboxes. */
export const countWebhooksAhead = defineStatement({
  params: AHEAD,
  text: countAhead(`select w.partner_id, w.day, v.figure, '' as part, v.value
    from (select e.partner_id, ${DAY_AHEAD('e.created_at')} as day,
        count(*) filter (where d.state = 'delivered') as delivered,
        count(*) filter (where d.state = 'exhausted') as failed
      from events e join webhook_deliveries d on d.event_id = e.id
      where e.id between :first and :last and e.environment = 'SANDBOX' group by 1, 2) w,
    lateral (values ('webhooks_delivered', w.delivered), ('webhooks_failed', w.failed)) v (figure, value)`),
});

/** Selects the days from `first` on to count: never counted, not since `recent`, or not since they became final. */
export const selectDaysToCount = defineStatement({
  params: { first: date, today: date, recent: timestamptz, later: timestamptz, limit: bigint },
  row: { day: text },
  text: `select d.day::text as day
    from (select :first::date + n as day from generate_series(0, :today::date - :first::date) n) d
    left join daily_counts c on c.day = d.day,
    lateral (select d.day::timestamp at time zone 'UTC' as at) starts
    where c.day is null
      or (c.counted_at < starts.at + interval '25 hours' and c.counted_at < :recent)
      or (c.counted_at < starts.at + interval '8 days' and c.counted_at < :later)
    order by d.day desc limit :limit`,
});

export const upsertCount = defineStatement({
  params: { day: date, countedAt: timestamptz },
  text: `insert into daily_counts (day, counted_at) values (:day::date, :countedAt)
    on conflict (day) do update set counted_at = excluded.counted_at`,
});

/** A figure of a period: the sum over its days, and the largest value of a day. */
export interface FigureRow<F extends string = Figure> {
  /** The first day of the period, as `2026-11-23`; weeks begin on Monday. */
  start: string;
  figure: F;
  /** The currency or queue; empty if the figure has no parts. */
  part: string;
  sum: number;
  max: number;
}

/** Selects figures by period, by the primary key: a few dozen rows a day, however many orders they count. */
export const selectFigures = defineStatement({
  params: {
    environment: textOf<Environment>(),
    from: date,
    to: date,
    unit: textOf<'day' | 'week' | 'month'>(),
  },
  row: { figures: nullable(json<FigureRow[]>()), countedAt: nullable(timestamptz) },
  text: `select
      (select json_agg(f) from (
        select date_trunc(:unit, day::timestamp)::date::text as start, figure, part,
          sum(value)::bigint as sum, max(value) as max
        from daily_figures
        where environment in (:environment, 'ALL') and day >= :from::date and day < :to::date
        group by 1, 2, 3 order by 1, 2, 3) f) as figures,
      (select counted_at from daily_counts order by day desc limit 1) as "countedAt"`,
});

/** Like {@link selectFigures}, for one partner. */
export const selectPartnerFigures = defineStatement({
  params: {
    partnerId: text,
    environment: textOf<Environment>(),
    from: date,
    to: date,
    unit: textOf<'day' | 'week' | 'month'>(),
  },
  row: { figures: nullable(json<FigureRow<PartnerFigure>[]>()), countedAt: nullable(timestamptz) },
  text: `select
      (select json_agg(f) from (
        select date_trunc(:unit, day::timestamp)::date::text as start, figure, part,
          sum(value)::bigint as sum, max(value) as max
        from partner_daily_figures
        where partner_id = :partnerId and environment = :environment and day >= :from::date and day < :to::date
        group by 1, 2, 3 order by 1, 2, 3) f) as figures,
      (select counted_at from daily_counts order by day desc limit 1) as "countedAt"`,
});
