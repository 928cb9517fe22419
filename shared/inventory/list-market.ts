import type { Database } from '../platform/db.ts';
import * as store from './market.store.ts';

export {
  MARKET_SORTS,
  type MarketCursor,
  type MarketFilter,
  type MarketListing,
  type MarketSort,
  sortKeys,
} from './market.store.ts';

/**
 * A page of the domains that are on the LIVE market, quotes or not. It begins after the row `after`, of which
 * {@link positionKeys} are needed, whatever became of that row since: what is listed or sold meanwhile does
 * not move the rows that stay. One SQL statement that costs the same on every page.
 */
export function listMarket(
  { db }: { db: Database },
  filter: store.MarketFilter,
  page: { sort: store.MarketSort; after: Partial<store.MarketCursor> | null; limit: number },
): Promise<store.MarketListing[]> {
  return db.read((sql) => store.selectMarket(sql, filter, { ...page, offset: 0 }));
}

/**
 * A page from `offset` rows on, and how many rows there are in all. Two SQL statements: the second reads the
 * total from tallies that are always exact, or counts the rows when the filter bounds the price.
 */
export async function listMarketFrom(
  { db }: { db: Database },
  filter: store.MarketFilter,
  page: { sort: store.MarketSort; offset: number; limit: number },
): Promise<{ listings: store.MarketListing[]; total: number }> {
  const [listings, total] = await Promise.all([
    db.read((sql) => store.selectMarket(sql, filter, { ...page, after: null })),
    db.read((sql) => store.countMarket(sql, filter)),
  ]);
  return { listings, total };
}

/** Those of the domains (A-labels) that are on the LIVE market, in no order. One SQL statement. */
export function findOnMarket(
  { db }: { db: Database },
  domains: readonly string[],
): Promise<store.MarketListing[]> {
  return db.read((sql) => store.selectOnMarket(sql, domains));
}
