import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  nullable,
  type RowOf,
  text,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { Cents } from '../../platform/money.ts';

export const MARKET_SORTS = ['newest', 'domain', 'price_asc', 'price_desc'] as const;
export type MarketSort = (typeof MARKET_SORTS)[number];

/** A filter on market listings. */
export interface MarketFilter {
  /** A suffix as A-labels; null for any. */
  tld: string | null;
  /** Case-insensitive; null for any. */
  category: string | null;
  /** The minimum and maximum price, in minor units of any currency; null for no limit. */
  minPriceCents: Cents | null;
  maxPriceCents: Cents | null;
}

const MARKET_LISTING = {
  id: bigint,
  domain: text,
  tld: text,
  /** Minor units. */
  priceCents: bigint,
  currency: text,
  offersAccepted: boolean,
  listedAt: timestamptz,
  /** `listedAt` at full precision, for {@link MarketCursor}. */
  listedAtExact: text,
};
/** A listing on the market. */
export type MarketListing = RowOf<typeof MARKET_LISTING>;

/** The row before a page: what is needed to find its position, even if the row is gone. */
export type MarketCursor = Pick<MarketListing, 'id' | 'domain' | 'priceCents' | 'listedAtExact'>;

const COLUMNS = `l.id, l.domain, l.tld, l.price_cents as "priceCents", l.currency,
  l.offers_accepted as "offersAccepted", l.listed_at as "listedAt",
  cast(l.listed_at as text) as "listedAtExact"`;

// Literals, not parameters: only then does the planner use the market's partial indexes.
const ON_THE_MARKET = `l.environment = 'LIVE' and l.status = 'listed'`;

// Each order is total, so that ties in time or price are stable, and each matches an index.
const ORDERS: Record<MarketSort, { by: string; after: string; keys: (keyof MarketCursor)[] }> = {
  newest: {
    by: 'l.listed_at desc, l.id desc',
    after: '(l.listed_at, l.id) < (cast(:listedAtExact::text as timestamptz), :id::bigint)',
    keys: ['listedAtExact', 'id'],
  },
  domain: { by: 'l.domain', after: 'l.domain > :domain', keys: ['domain'] },
  price_asc: {
    by: 'l.price_cents, l.id',
    after: '(l.price_cents, l.id) > (:priceCents::bigint, :id::bigint)',
    keys: ['priceCents', 'id'],
  },
  price_desc: {
    by: 'l.price_cents desc, l.id desc',
    after: '(l.price_cents, l.id) < (:priceCents::bigint, :id::bigint)',
    keys: ['priceCents', 'id'],
  },
};

/** Returns the fields that define a row's position in a sort order; no others should reach a caller. */
export function sortKeys(sort: MarketSort): readonly (keyof MarketCursor)[] {
  return ORDERS[sort].keys;
}

const PARTS = ['all', 'tld', 'category', 'tldAndCategory', 'priced'] as const;
/**
 * The kinds of filter. Each has its own statement, planned for the index that serves it. The best index for a price
 * range depends on its limits, so `priced` is planned on each call.
 */
type MarketPart = (typeof PARTS)[number];

const IN_TLD = 'and l.tld = :tld';
const IN_CATEGORY = 'and lower(l.category) = lower(:category)';
const LISTINGS_OF: Record<MarketPart, string> = {
  all: '',
  tld: IN_TLD,
  category: IN_CATEGORY,
  tldAndCategory: `${IN_TLD} ${IN_CATEGORY}`,
  priced: `and (:tld::text is null or l.tld = :tld)
    and (:category::text is null or lower(l.category) = lower(:category))
    and (:minPriceCents::bigint is null or l.price_cents >= :minPriceCents)
    and (:maxPriceCents::bigint is null or l.price_cents <= :maxPriceCents)`,
};

function partOf({ tld, category, minPriceCents, maxPriceCents }: MarketFilter): MarketPart {
  if (minPriceCents !== null || maxPriceCents !== null) return 'priced';
  if (tld !== null) return category === null ? 'tld' : 'tldAndCategory';
  return category === null ? 'all' : 'category';
}

const planOf = (part: MarketPart) => (part === 'priced' ? {} : { plan: 'once' as const });

const FILTER = {
  tld: nullable(text),
  category: nullable(text),
  minPriceCents: nullable(bigint),
  maxPriceCents: nullable(bigint),
};
const CURSOR = {
  id: nullable(bigint),
  domain: nullable(text),
  priceCents: nullable(bigint),
  listedAtExact: nullable(text),
};
/** The cursor of the first page. */
const START = { id: null, domain: null, priceCents: null, listedAtExact: null };

/** Those of `domains` (A-labels) that are on the market. */
export const selectOnMarket = defineStatement({
  params: { domains: arrayOf(text) },
  row: MARKET_LISTING,
  text: `select ${COLUMNS} from listings l where ${ON_THE_MARKET} and l.domain = any(:domains)`,
  plan: 'once',
});

/** A page of a market filter in one sort order, from the start or after a row. */
export const selectMarketPage = variantsOf(MARKET_SORTS, (sort) =>
  variantsOf(['first', 'next'], (page) =>
    variantsOf(PARTS, (part) =>
      defineStatement({
        params: { ...FILTER, ...CURSOR, limit: bigint, offset: bigint },
        row: MARKET_LISTING,
        text: `select ${COLUMNS} from listings l where ${ON_THE_MARKET} ${LISTINGS_OF[part]}
          ${page === 'next' ? `and ${ORDERS[sort].after}` : ''}
          order by ${ORDERS[sort].by} limit :limit offset :offset`,
        ...planOf(part),
      }),
    ),
  ),
);

const TALLIES_OF: Record<Exclude<MarketPart, 'priced'>, string> = {
  all: '',
  tld: 'where tld = :tld',
  category: 'where category = lower(:category)',
  tldAndCategory: 'where tld = :tld and category = lower(:category)',
};

/** Counts the listings of a market filter: from the tallies, or row by row if prices are limited. */
export const countMarketPart = variantsOf(PARTS, (part) =>
  defineStatement({
    params: FILTER,
    row: { total: bigint },
    text:
      part === 'priced'
        ? `select count(*) as total from listings l where ${ON_THE_MARKET} ${LISTINGS_OF[part]}`
        : `select cast(coalesce(sum(listings), 0) as bigint) as total from (
            select listings from market_tallies ${TALLIES_OF[part]}
            union all select listings from market_deltas ${TALLIES_OF[part]}) l`,
    ...planOf(part),
  }),
);

/**
 * Folds up to `limit` of the oldest deltas into the tallies and returns how many. A reader sees a delta or its tally,
 * never both or neither.
 */
export const foldDeltas = defineStatement({
  params: { limit: bigint },
  row: { folded: bigint },
  text: `with taken as (
      delete from market_deltas where id in (
        select id from market_deltas order by id limit :limit for update skip locked)
      returning *),
    folded as (
      insert into market_tallies as t (tld, category, listings)
      select tld, category, sum(listings) from taken group by 1, 2 order by 1, 2
      on conflict (tld, category) do update set listings = t.listings + excluded.listings)
    select count(*) as folded from taken`,
});

/** Returns a page of the market, after a row or from an offset. */
export function readMarket(
  sql: Sql,
  filter: MarketFilter,
  page: {
    sort: MarketSort;
    after: Partial<MarketCursor> | null;
    offset: number;
    limit: number;
  },
): Promise<MarketListing[]> {
  const { sort, after, offset, limit } = page;
  const statement = selectMarketPage[sort][after ? 'next' : 'first'][partOf(filter)];
  return statement.all(sql, { ...START, ...after, ...filter, offset, limit });
}

/** Returns the number of rows that match the filter. */
export async function countMarket(sql: Sql, filter: MarketFilter): Promise<number> {
  return (await countMarketPart[partOf(filter)].one(sql, filter)).total;
}
