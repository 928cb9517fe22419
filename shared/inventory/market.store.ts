import { prepared, type Sql } from '../platform/db.ts';
import type { Cents } from '../platform/money.ts';

export const MARKET_SORTS = ['newest', 'domain'] as const;
export type MarketSort = (typeof MARKET_SORTS)[number];

/** Which part of the market. */
export interface MarketFilter {
  /** A suffix as A-labels; null for all. */
  tld: string | null;
  /** In any case; null for all. */
  category: string | null;
}

/** A row of the market. */
export interface MarketListing {
  id: number;
  domain: string;
  tld: string;
  priceCents: Cents;
  currency: string;
  offersAccepted: boolean;
  listedAt: Date;
  /** `listedAt` with all its digits, for {@link MarketPosition}. */
  listedAtExact: string;
}

/** The row after which a page begins; what it takes to find its place again, even when it is gone by then. */
export interface MarketPosition {
  id: number;
  domain: string;
  listedAtExact: string;
}

// Written out, not bound: only so does the planner see that the market's indexes hold these rows.
const ON_THE_MARKET = `l.environment = 'LIVE' and l.status = 'listed'`;

// Each is total, so that equal instants have one order, too; and each is that of an index.
const ORDERS: Record<MarketSort, { by: string; after: string }> = {
  newest: {
    by: 'l.listed_at desc, l.id desc',
    after: '(l.listed_at, l.id) < (cast(:listedAtExact as timestamptz), cast(:id as bigint))',
  },
  domain: { by: 'l.domain', after: 'l.domain > :domain' },
};

function conditions({ tld, category }: MarketFilter): string[] {
  const chosen = [ON_THE_MARKET];
  if (tld !== null) chosen.push('l.tld = :tld');
  if (category !== null) chosen.push('lower(l.category) = lower(:category)');
  return chosen;
}

/** A page of the market: after a row, or from an offset. */
export async function selectMarket(
  sql: Sql,
  filter: MarketFilter,
  page: { sort: MarketSort; after: MarketPosition | null; offset: number; limit: number },
): Promise<MarketListing[]> {
  const order = ORDERS[page.sort];
  const where = conditions(filter);
  if (page.after) where.push(order.after);
  const { rows } = await prepared(
    sql,
    `select l.id, l.domain, l.tld, l.price_cents as "priceCents", l.currency,
       l.offers_accepted as "offersAccepted", l.listed_at as "listedAt",
       cast(l.listed_at as text) as "listedAtExact"
     from listings l where ${where.join(' and ')}
     order by ${order.by} limit :limit offset :offset`,
    { ...filter, ...page.after, limit: page.limit, offset: page.offset },
  );
  return rows;
}

/** How many rows the filter has. */
export async function countMarket(sql: Sql, filter: MarketFilter): Promise<number> {
  const { rows } = await prepared(
    sql,
    `select count(*) as total from listings l where ${conditions(filter).join(' and ')}`,
    { ...filter },
  );
  return rows[0].total;
}
