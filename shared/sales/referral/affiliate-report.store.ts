import type { Sql } from '../../platform/database/postgres.ts';
import { Money } from '../../platform/money.ts';
import type { CommissionLine, CommissionType } from './commission.ts';
import type { AffiliateOwner } from './referral-link.ts';

export const INTERVALS = ['day', 'week', 'month'] as const;

/** How days are put together; weeks begin on Monday. */
export type Interval = (typeof INTERVALS)[number];

/** Whole UTC days: `from` the day that an instant is on, `to` the first day that begins at or after it. */
export interface DateRange {
  from: Date | null;
  to: Date | null;
}

const IN_WINDOW = `(:from::timestamptz is null or day >= (:from::timestamptz at time zone 'UTC')::date)
  and (:to::timestamptz is null or day < :to::timestamptz at time zone 'UTC')`;

export interface ClickPeriod {
  /** The first day of the interval, as `2026-11-21`. */
  start: string;
  clicks: number;
  uniqueClicks: number;
}

/** Clicks by interval, oldest first; intervals without a click are left out. */
export async function sumClicks(
  sql: Sql,
  owner: AffiliateOwner,
  query: DateRange & { interval: Interval },
): Promise<ClickPeriod[]> {
  const { rows } = await sql.raw(
    `select to_char(date_trunc(:interval, day::timestamp), 'YYYY-MM-DD') as start, sum(clicks) as clicks,
       sum(unique_clicks) as "uniqueClicks"
     from referral_daily
     where partner_id = :partnerId and environment = :environment and ${IN_WINDOW}
     group by 1 having sum(clicks) > 0 order by 1`,
    { partnerId: owner.partnerId, environment: owner.environment, ...query },
  );
  return rows;
}

export interface FunnelPeriod extends ClickPeriod {
  checkouts: number;
  sales: number;
  gmvCents: number;
  commissionCents: number;
}

/** The funnel by interval, oldest first; sales that were taken back don't count. Amounts of one currency. */
export async function sumFunnel(
  sql: Sql,
  owner: AffiliateOwner,
  query: { from: Date; to: Date; interval: Interval; currency: string },
): Promise<FunnelPeriod[]> {
  const { rows } = await sql.raw(
    `with counted as (
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
    { partnerId: owner.partnerId, environment: owner.environment, ...query },
  );
  return rows;
}

/** A referred sale as its affiliate may see it. */
export interface SaleRow {
  orderId: string;
  buyerEmail: string;
  domain: string;
  amountCents: number;
  commissionCents: number;
  currency: string;
  linkId: string;
  state: CommissionType;
  soldAt: Date;
}

export interface SaleFilter extends DateRange {
  states: readonly CommissionType[] | null;
  linkId: string | null;
  before: { soldAt: Date; orderId: string } | null;
  limit: number;
}

/** A page of referred sales, newest first. */
export async function listSales(
  sql: Sql,
  owner: AffiliateOwner,
  filter: SaleFilter,
): Promise<SaleRow[]> {
  const { rows } = await sql.raw(
    `select s.order_id as "orderId", o.buyer_email as "buyerEmail", o.domain,
       s.amount_cents as "amountCents", s.commission_cents as "commissionCents", s.currency,
       s.link_id as "linkId", s.state, s.sold_at as "soldAt"
     from referral_sales s join orders o on o.id = s.order_id
     where s.partner_id = :partnerId and s.environment = :environment
       and (:states::text[] is null or s.state = any(:states))
       and (:linkId::text is null or s.link_id = :linkId)
       and (:from::timestamptz is null or s.sold_at >= :from)
       and (:to::timestamptz is null or s.sold_at < :to)
       and (:beforeAt::timestamptz is null or (s.sold_at, s.order_id) < (:beforeAt, :beforeId::text))
     order by s.sold_at desc, s.order_id desc limit :limit`,
    {
      partnerId: owner.partnerId,
      environment: owner.environment,
      from: filter.from,
      to: filter.to,
      linkId: filter.linkId,
      limit: filter.limit,
      states: filter.states && [...filter.states],
      beforeAt: filter.before?.soldAt ?? null,
      beforeId: filter.before?.orderId ?? null,
    },
  );
  return rows;
}

export interface LineFilter extends DateRange {
  types: readonly CommissionType[] | null;
  /** The position of the last line of the page before. */
  before: number | null;
  limit: number;
}

type LineRow = Omit<CommissionLine, 'amount' | 'balance'> & {
  amountCents: number;
  balanceCents: number;
  currency: string;
};

/** A page of the commission history, newest first. */
export async function listLines(
  sql: Sql,
  owner: AffiliateOwner,
  filter: LineFilter,
): Promise<CommissionLine[]> {
  const { rows } = await sql.raw(
    `select id, position, partner_id as "partnerId", environment, currency, type,
       amount_cents as "amountCents", balance_cents as "balanceCents", order_id as "orderId",
       payout_id as "payoutId", created_at as "createdAt"
     from referral_commissions
     where partner_id = :partnerId and environment = :environment
       and (:types::text[] is null or type = any(:types))
       and (:from::timestamptz is null or created_at >= :from)
       and (:to::timestamptz is null or created_at < :to)
       and (:before::bigint is null or position < :before)
     order by position desc limit :limit`,
    {
      partnerId: owner.partnerId,
      environment: owner.environment,
      ...filter,
      types: filter.types && [...filter.types],
    },
  );
  return rows.map(({ amountCents, balanceCents, currency, ...rest }: LineRow) => ({
    ...rest,
    amount: new Money(amountCents, currency),
    balance: new Money(balanceCents, currency),
  }));
}
