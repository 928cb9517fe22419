import type { Static } from 'typebox';
import {
  type MatchCursor,
  type MatchSort,
  matchSortKeys,
  searchMarket,
} from '../../../shared/domain-search/search-market.ts';
import { parseTld } from '../../../shared/inventory/domain-name.ts';
import {
  listMarket,
  listMarketFrom,
  type MarketFilter,
  type MarketListing,
} from '../../../shared/inventory/list-market.ts';
import { invalid } from '../../../shared/platform/errors.ts';
import { type CursorPosition, cutPage } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { requireScope, seesPrices } from '../caller.ts';
import { type PublicContext, publicRoute } from '../route.ts';
import { ListingsQuery, ListingsView, PRICE_SORTS } from './listing.schema.ts';
import { listingView } from './listing.view.ts';

/** `GET /market/listings`: what is on the LIVE market, by cursor or by offset. */
export const listListingsRoute = publicRoute({
  method: 'GET',
  path: '/market/listings',
  operationId: 'listListings',
  summary: 'List the domains that are for sale, or search them.',
  limit: 'reads',
  query: ListingsQuery,
  responses: { 200: ListingsView },
  errors: ['forbidden'],
  async handler(context, { caller, query }) {
    if (query.offset !== undefined && query.cursor !== undefined) {
      throw invalid([{ path: '/offset', message: 'must not come together with cursor' }]);
    }
    if (revealsPrices(query)) requireScope(caller, 'pricing:read');
    if (query.q?.trim() === '') throw invalid([{ path: '/q', message: 'must not be blank' }]);
    const asked = { q: query.q?.trim(), filter: readFilter(query) };
    const { sort = asked.q === undefined ? 'newest' : 'relevance' } = query;
    const words = asked.q === undefined ? [] : [asked.q];
    const paging = { limit: query.limit, filters: ['market', asked.filter, sort, ...words] };
    const after = toPosition(sort, await context.cursors.read(query.cursor, paging.filters));

    const offset = query.offset ?? 0;
    const window = { sort, after, offset, limit: query.limit + 1 };
    const { listings, total } = await readRows(context, asked, window);
    const { page, nextCursor } = await cutPage(context.cursors, listings, paging, (row) =>
      matchSortKeys(sort).map((key) => row[key] ?? 0),
    );
    const unmasked = seesPrices(caller);
    return reply(200, {
      items: page.map((listing) => listingView(listing, unmasked)),
      page: {
        limit: query.limit,
        has_more: nextCursor !== null,
        next_cursor: nextCursor,
        ...(after === null && { offset, total }),
      },
    });
  },
});

type Query = Static<typeof ListingsQuery>;

interface Window {
  sort: MatchSort;
  after: Partial<MatchCursor> | null;
  offset: number;
  limit: number;
}

/** @throws validation_error (`/sort`) */
async function readRows(
  context: PublicContext,
  { q, filter }: { q: string | undefined; filter: MarketFilter },
  { sort, after, offset, limit }: Window,
): Promise<{ listings: (MarketListing & { score?: number })[]; total?: number }> {
  if (q !== undefined) {
    return searchMarket(context, { query: q, filter }, { sort, after, offset, limit });
  }
  if (sort === 'relevance') {
    throw invalid([{ path: '/sort', message: 'must not be relevance without q' }]);
  }
  if (after) return { listings: await listMarket(context, filter, { sort, after, limit }) };
  return listMarketFrom(context, filter, { sort, offset, limit });
}

/** Whether the sort or a filter would tell what the masks hide. */
function revealsPrices({ sort, min_price_cents: min, max_price_cents: max }: Query): boolean {
  return PRICE_SORTS.some((known) => known === sort) || min !== undefined || max !== undefined;
}

/** @throws validation_error */
function readFilter(query: Query): MarketFilter {
  const tld = query.tld === undefined ? null : parseTld(query.tld);
  if (tld === undefined) {
    throw invalid([{ path: '/tld', message: 'must be a suffix such as com or co.uk' }]);
  }
  const { min_price_cents: minPriceCents = null, max_price_cents: maxPriceCents = null } = query;
  if (minPriceCents !== null && maxPriceCents !== null && minPriceCents > maxPriceCents) {
    throw invalid([{ path: '/min_price_cents', message: 'must not be above max_price_cents' }]);
  }
  return { tld, category: query.category ?? null, minPriceCents, maxPriceCents };
}

function toPosition(sort: MatchSort, position: CursorPosition | null): Partial<MatchCursor> | null {
  return position && Object.fromEntries(matchSortKeys(sort).map((key, at) => [key, position[at]]));
}
