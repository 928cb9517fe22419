import type { Database } from '../../messaging/unit-of-work/database.ts';
import { rankListings } from '../search/search-listings.ts';
import {
  countMarket,
  foldDeltas,
  MARKET_SORTS,
  type MarketCursor,
  type MarketFilter,
  type MarketListing,
  type MarketSort,
  readMarket,
  selectOnMarket,
  sortKeys,
} from './market.store.ts';

export { MARKET_SORTS, type MarketCursor, type MarketFilter, type MarketListing, type MarketSort };

/**
 * Returns a page of the domains on the LIVE market, including those with open quotes. The page starts after the row
 * `after`, which needs {@link sortKeys} and may have changed or gone since. Rows that are listed or sold meanwhile do
 * not move the others. One SQL statement with the same cost for every page.
 */
export function listMarket(
  { db }: { db: Database },
  filter: MarketFilter,
  page: { sort: MarketSort; after: Partial<MarketCursor> | null; limit: number },
): Promise<MarketListing[]> {
  return db.read((sql) => readMarket(sql, filter, { ...page, offset: 0 }));
}

/**
 * Returns a page from `offset` on, and the total number of rows. Two SQL statements: the second reads the total from
 * tallies that are always exact, or counts the rows if the filter limits the price.
 */
export async function listMarketFrom(
  { db }: { db: Database },
  filter: MarketFilter,
  page: { sort: MarketSort; offset: number; limit: number },
): Promise<{ listings: MarketListing[]; total: number }> {
  const [listings, total] = await Promise.all([
    db.read((sql) => readMarket(sql, filter, { ...page, after: null })),
    db.read((sql) => countMarket(sql, filter)),
  ]);
  return { listings, total };
}

/** Returns those of `domains` (A-labels) that are on the LIVE market, unordered. One SQL statement. */
export function findOnMarket(
  { db }: { db: Database },
  domains: readonly string[],
): Promise<MarketListing[]> {
  return db.read((sql) => selectOnMarket.all(sql, { domains }));
}

/** The sort orders of market search results. */
export const MATCH_SORTS = ['relevance', ...MARKET_SORTS] as const;
export type MatchSort = 'relevance' | MarketSort;

/** A domain on the market that matches a query. */
export interface MarketMatch extends MarketListing {
  /** 0 to 1. */
  score: number;
}

/** The fields that define a match's position in a sort order. */
export type MatchCursor = MarketCursor & Pick<MarketMatch, 'score'>;

/** Returns the fields of {@link MatchCursor} that a sort order uses; no others should reach a caller. */
export function matchSortKeys(sort: MatchSort): readonly (keyof MatchCursor)[] {
  return sort === 'relevance' ? ['score', 'domain'] : sortKeys(sort);
}

// Total orders, consistent with those of `list-market`.
const ORDERS: Record<MatchSort, (one: MatchCursor, other: MatchCursor) => number> = {
  relevance: (one, other) => other.score - one.score || compare(one.domain, other.domain),
  newest: (one, other) => compare(other.listedAtExact, one.listedAtExact) || other.id - one.id,
  domain: (one, other) => compare(one.domain, other.domain),
  price_asc: (one, other) => one.priceCents - other.priceCents || one.id - other.id,
  price_desc: (one, other) => other.priceCents - one.priceCents || other.id - one.id,
};

/**
 * Returns a page of the domains on the LIVE market that match `query`, and their total: the search's relevant results,
 * a few hundred at most, without those that a quote holds. The page starts after the row `after`, which needs {@link
 * matchSortKeys}, or `offset` rows from the start. Two SQL statements.
 */
export async function searchMarket(
  deps: Parameters<typeof rankListings>[0],
  { query, filter, hidePrices }: { query: string; filter: MarketFilter; hidePrices: boolean },
  page: { sort: MatchSort; after: Partial<MatchCursor> | null; offset: number; limit: number },
): Promise<{ listings: MarketMatch[]; total: number }> {
  const { tld, category, minPriceCents, maxPriceCents } = filter;
  const found = await rankListings(deps, {
    environment: 'LIVE',
    query,
    hidePrices,
    tlds: tld === null ? undefined : [tld],
    minPriceCents: minPriceCents ?? undefined,
    maxPriceCents: maxPriceCents ?? undefined,
  });
  const scores = new Map(
    found
      .filter((each) => category === null || sameWord(each.candidate.category, category))
      .map(({ candidate, score }) => [candidate.domain, score]),
  );
  const listed = await findOnMarket(deps, [...scores.keys()]);
  const order = ORDERS[page.sort];
  const matches = listed
    .map((listing) => ({ ...listing, score: scores.get(listing.domain) ?? 0 }))
    .sort(order);
  const { after } = page;
  const rest = after
    ? matches.filter((match) => order(match, after as MatchCursor) > 0)
    : matches.slice(page.offset);
  return { listings: rest.slice(0, page.limit), total: matches.length };
}

function sameWord(one: string | null, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase();
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Folds up to `limit` market deltas into the tallies and returns how many. Totals stay the same. */
export async function foldMarket({ db }: { db: Database }, limit: number): Promise<number> {
  return (await foldDeltas.one(db.knex, { limit })).folded;
}
