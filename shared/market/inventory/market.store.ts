import { prepared, type Sql } from '../../platform/database/postgres.ts';
import type { Cents } from '../../platform/money.ts';

export const MARKET_SORTS = ['newest', 'domain', 'price_asc', 'price_desc'] as const;
export type MarketSort = (typeof MARKET_SORTS)[number];

/** Which part of the market. */
export interface MarketFilter {
  /** A suffix as A-labels; null for all. */
  tld: string | null;
  /** In any case; null for all. */
  category: string | null;
  /** The least and the highest price, minor units of whatever currency; null for no bound. */
  minPriceCents: Cents | null;
  maxPriceCents: Cents | null;
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
  /** `listedAt` with all its digits, for {@link MarketCursor}. */
  listedAtExact: string;
}

/** The row after which a page begins: what it takes to find its place again, even when it is gone by then. */
export type MarketCursor = Pick<MarketListing, 'id' | 'domain' | 'priceCents' | 'listedAtExact'>;

// Written out, not bound: only so does the planner see that the market's indexes hold these rows.
const ON_THE_MARKET = `l.environment = 'LIVE' and l.status = 'listed'`;

// Each is total, so that equal instants and prices have one order, too; and each is that of an index.
const ORDERS: Record<MarketSort, { by: string; after: string; keys: (keyof MarketCursor)[] }> = {
  newest: {
    by: 'l.listed_at desc, l.id desc',
    after: '(l.listed_at, l.id) < (cast(:listedAtExact as timestamptz), cast(:id as bigint))',
    keys: ['listedAtExact', 'id'],
  },
  domain: { by: 'l.domain', after: 'l.domain > :domain', keys: ['domain'] },
  price_asc: {
    by: 'l.price_cents, l.id',
    after: '(l.price_cents, l.id) > (cast(:priceCents as bigint), cast(:id as bigint))',
    keys: ['priceCents', 'id'],
  },
  price_desc: {
    by: 'l.price_cents desc, l.id desc',
    after: '(l.price_cents, l.id) < (cast(:priceCents as bigint), cast(:id as bigint))',
    keys: ['priceCents', 'id'],
  },
};

/** What of a row tells its place in a sort: no more of it should reach a caller than that. */
export function sortKeys(sort: MarketSort): readonly (keyof MarketCursor)[] {
  return ORDERS[sort].keys;
}

function conditions({ tld, category, minPriceCents, maxPriceCents }: MarketFilter): string[] {
  const chosen = [ON_THE_MARKET];
  if (tld !== null) chosen.push('l.tld = :tld');
  if (category !== null) chosen.push('lower(l.category) = lower(:category)');
  if (minPriceCents !== null) chosen.push('l.price_cents >= :minPriceCents');
  if (maxPriceCents !== null) chosen.push('l.price_cents <= :maxPriceCents');
  return chosen;
}

const COLUMNS = `l.id, l.domain, l.tld, l.price_cents as "priceCents", l.currency,
  l.offers_accepted as "offersAccepted", l.listed_at as "listedAt",
  cast(l.listed_at as text) as "listedAtExact"`;

/** Those of the domains (A-labels) that are on the market. */
export async function selectOnMarket(
  sql: Sql,
  domains: readonly string[],
): Promise<MarketListing[]> {
  const { rows } = await prepared(
    sql,
    `select ${COLUMNS} from listings l where ${ON_THE_MARKET} and l.domain = any(?)`,
    [domains],
  );
  return rows;
}

/** A page of the market: after a row, or from an offset. */
export async function selectMarket(
  sql: Sql,
  filter: MarketFilter,
  page: {
    sort: MarketSort;
    after: Partial<MarketCursor> | null;
    offset: number;
    limit: number;
  },
): Promise<MarketListing[]> {
  const order = ORDERS[page.sort];
  const where = conditions(filter);
  if (page.after) where.push(order.after);
  const { rows } = await run(
    sql,
    filter,
    `select ${COLUMNS} from listings l where ${where.join(' and ')}
     order by ${order.by} limit :limit offset :offset`,
    { ...filter, ...page.after, limit: page.limit, offset: page.offset },
  );
  return rows;
}

/** How many rows the filter has: out of the tallies, or counted one by one when it bounds the price. */
export async function countMarket(sql: Sql, filter: MarketFilter): Promise<number> {
  const { rows } = await (boundsPrice(filter) ? countRows(sql, filter) : sumTallies(sql, filter));
  return rows[0].total;
}

function boundsPrice({ minPriceCents, maxPriceCents }: MarketFilter): boolean {
  return minPriceCents !== null || maxPriceCents !== null;
}

/** Which index serves a range of prices depends on its ends, so such a statement is planned at each call. */
function run(sql: Sql, filter: MarketFilter, text: string, bindings: object) {
  return boundsPrice(filter)
    ? sql.raw(text, bindings as Record<string, string | number>)
    : prepared(sql, text, bindings);
}

function countRows(sql: Sql, filter: MarketFilter) {
  return run(
    sql,
    filter,
    `select count(*) as total from listings l where ${conditions(filter).join(' and ')}`,
    filter,
  );
}

function sumTallies(sql: Sql, { tld, category }: MarketFilter) {
  const chosen = [];
  if (tld !== null) chosen.push('tld = :tld');
  if (category !== null) chosen.push('category = lower(:category)');
  const where = chosen.length > 0 ? `where ${chosen.join(' and ')}` : '';
  return prepared(
    sql,
    `select cast(coalesce(sum(listings), 0) as bigint) as total from (
       select listings from market_tallies ${where}
       union all select listings from market_deltas ${where}) l`,
    { tld, category },
  );
}

/**
 * Folds up to `limit` of the oldest deltas into the tallies and returns how many. A reader sees a delta or
 * its tally, never both or none.
 */
export async function foldDeltas(sql: Sql, limit: number): Promise<number> {
  const { rows } = await sql.raw(
    `with taken as (
       delete from market_deltas where id in (
         select id from market_deltas order by id limit :limit for update skip locked)
       returning *),
     folded as (
       insert into market_tallies as t (tld, category, listings)
       select tld, category, sum(listings) from taken group by 1, 2 order by 1, 2
       on conflict (tld, category) do update set listings = t.listings + excluded.listings)
     select count(*) as folded from taken`,
    { limit },
  );
  return rows[0].folded;
}
