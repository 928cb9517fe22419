import type { Environment } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  nullable,
  numeric,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { TIME_PAGE, timePage, timePageSql } from '../../platform/database/time-page.ts';
import { Money } from '../../platform/money.ts';
import type { CommissionLine, CommissionType } from './commission.ts';
import type { AffiliateOwner } from './referral-link.ts';

export const INTERVALS = ['day', 'week', 'month'] as const;

/** How days are grouped. Weeks begin on Monday. */
export type Interval = (typeof INTERVALS)[number];

/** A range in whole UTC days: from the day that contains `from`, to the first day that begins at or after `to`. */
export interface DateRange {
  from: Date | null;
  to: Date | null;
}

const OWNER = { partnerId: text, environment: textOf<Environment>() };
const RANGE = { from: nullable(timestamptz), to: nullable(timestamptz) };

const IN_WINDOW = `(:from::timestamptz is null or day >= (:from::timestamptz at time zone 'UTC')::date)
  and (:to::timestamptz is null or day < :to::timestamptz at time zone 'UTC')`;

const CLICKS = {
  /** The first day of the interval, as `2026-11-21`. */
  start: text,
  clicks: numeric,
  uniqueClicks: numeric,
};
/** The clicks in an interval. */
export type ClickPeriod = RowOf<typeof CLICKS>;

/** Selects clicks by interval, of one link or of all, oldest first. Leaves out intervals without clicks. */
export const selectClicks = defineStatement({
  params: { ...OWNER, ...RANGE, linkId: nullable(text), interval: textOf<Interval>() },
  row: CLICKS,
  text: `select to_char(date_trunc(:interval, day::timestamp), 'YYYY-MM-DD') as start, sum(clicks) as clicks,
      sum(unique_clicks) as "uniqueClicks"
    from referral_daily
    where partner_id = :partnerId and environment = :environment and ${IN_WINDOW}
      and (:linkId::text is null or link_id = :linkId)
    group by 1 having sum(clicks) > 0 order by 1`,
});

const FUNNEL = {
  ...CLICKS,
  checkouts: numeric,
  sales: bigint,
  gmvCents: numeric,
  commissionCents: numeric,
};
/** The funnel of an interval. Amounts are in minor units of the requested currency. */
export type FunnelPeriod = RowOf<typeof FUNNEL>;

/** Selects the funnel by interval, oldest first, with amounts in one currency. Reversed sales don't count. */
export const selectFunnel = defineStatement({
  params: {
    ...OWNER,
    from: timestamptz,
    to: timestamptz,
    interval: textOf<Interval>(),
    currency: text,
  },
  row: FUNNEL,
  text: `with counted as (
      select date_trunc(:interval, day::timestamp) as start, clicks, unique_clicks, checkouts, 0 as sales,
        0::bigint as gmv, 0::bigint as commission
      from referral_daily
      where partner_id = :partnerId and environment = :environment and ${IN_WINDOW}
      union all
      select date_trunc(:interval, sold_at at time zone 'UTC'), 0, 0, 0, 1, amount_cents, commission_cents
      from referral_sales
      where partner_id = :partnerId and environment = :environment and currency = :currency
        and state <> 'reversed' and sold_at >= :from and sold_at < :to)
    select to_char(start, 'YYYY-MM-DD') as start, sum(clicks) as clicks,
      sum(unique_clicks) as "uniqueClicks", sum(checkouts) as checkouts, sum(sales) as sales,
      sum(gmv) as "gmvCents", sum(commission) as "commissionCents"
    from counted group by 1 order by 1`,
});

const SALE = {
  orderId: text,
  buyerEmail: text,
  domain: text,
  amountCents: bigint,
  commissionCents: bigint,
  currency: text,
  linkId: text,
  subId: nullable(text),
  state: textOf<CommissionType>(),
  soldAt: timestamptz,
};
/** A referred sale as its affiliate may see it. */
export type SaleRow = RowOf<typeof SALE>;

/** Selects a page of referred sales, newest first. */
export const selectSales = defineStatement({
  params: {
    ...OWNER,
    states: nullable(arrayOf(textOf<CommissionType>())),
    linkId: nullable(text),
    ...TIME_PAGE,
  },
  row: SALE,
  text: `select s.order_id as "orderId", o.buyer_email as "buyerEmail", o.domain,
      s.amount_cents as "amountCents", s.commission_cents as "commissionCents", s.currency,
      s.link_id as "linkId", l.sub_id as "subId", s.state, s.sold_at as "soldAt"
    from referral_sales s join orders o on o.id = s.order_id join referral_links l on l.id = s.link_id
    where s.partner_id = :partnerId and s.environment = :environment
      and (:states::text[] is null or s.state = any(:states))
      and (:linkId::text is null or s.link_id = :linkId)
      and ${timePageSql('s.sold_at', 's.order_id')}`,
});

/** Selects a page of the commission history, newest first. */
export const selectLines = defineStatement({
  params: {
    ...OWNER,
    ...RANGE,
    types: nullable(arrayOf(textOf<CommissionType>())),
    before: nullable(bigint),
    limit: bigint,
  },
  row: {
    id: text,
    position: bigint,
    partnerId: text,
    environment: textOf<Environment>(),
    currency: text,
    type: textOf<CommissionType>(),
    amountCents: bigint,
    balanceCents: bigint,
    orderId: nullable(text),
    payoutId: nullable(text),
    createdAt: timestamptz,
  },
  text: `select id, position, partner_id as "partnerId", environment, currency, type,
      amount_cents as "amountCents", balance_cents as "balanceCents", order_id as "orderId",
      payout_id as "payoutId", created_at as "createdAt"
    from referral_commissions
    where partner_id = :partnerId and environment = :environment
      and (:types::text[] is null or type = any(:types))
      and (:from::timestamptz is null or created_at >= :from)
      and (:to::timestamptz is null or created_at < :to)
      and (:before::bigint is null or position < :before)
    order by position desc limit :limit`,
});

/** A filter for referred sales; null matches all. */
export interface SaleFilter extends DateRange {
  states: readonly CommissionType[] | null;
  linkId: string | null;
  before: { soldAt: Date; orderId: string } | null;
  limit: number;
}

/** Reads a page of referred sales, newest first. */
export function readSales(
  sql: Sql,
  { partnerId, environment }: AffiliateOwner,
  { states, linkId, limit, before, ...range }: SaleFilter,
): Promise<SaleRow[]> {
  const place = before && { createdAt: before.soldAt, id: before.orderId };
  const page = timePage({ ...range, before: place }, limit);
  return selectSales.all(sql, { partnerId, environment, states, linkId, ...page });
}

/** A filter for lines of the commission history; null matches all. */
export interface LineFilter extends DateRange {
  types: readonly CommissionType[] | null;
  /** The position of the last line of the previous page. */
  before: number | null;
  limit: number;
}

/** Reads a page of the commission history, newest first. */
export async function readLines(
  sql: Sql,
  { partnerId, environment }: AffiliateOwner,
  filter: LineFilter,
): Promise<CommissionLine[]> {
  const rows = await selectLines.all(sql, { ...filter, partnerId, environment });
  return rows.map(({ amountCents, balanceCents, currency, ...rest }) => ({
    ...rest,
    amount: new Money(amountCents, currency),
    balance: new Money(balanceCents, currency),
  }));
}
