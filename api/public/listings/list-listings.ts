import type { Static } from 'typebox';
import { parseTld } from '../../../shared/inventory/domain-name.ts';
import {
  listMarket,
  listMarketFrom,
  type MarketFilter,
  type MarketPosition,
  type MarketSort,
  positionKeys,
} from '../../../shared/inventory/list-market.ts';
import { invalid } from '../../../shared/platform/errors.ts';
import { type CursorPosition, cutPage } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { requireScope, seesPrices } from '../caller.ts';
import { publicRoute } from '../route.ts';
import { ListingsQuery, ListingsView, PRICE_SORTS } from './listing.schema.ts';
import { listingView } from './listing.view.ts';

/** `GET /market/listings`: what is on the LIVE market, by cursor or by offset. */
export const listListingsRoute = publicRoute({
  method: 'GET',
  path: '/market/listings',
  operationId: 'listListings',
  summary: 'List the domains that are for sale.',
  limit: 'reads',
  query: ListingsQuery,
  responses: { 200: ListingsView },
  errors: ['forbidden'],
  async handler(context, { caller, query }) {
    if (query.offset !== undefined && query.cursor !== undefined) {
      throw invalid([{ path: '/offset', message: 'must not come together with cursor' }]);
    }
    if (tellsPrices(query)) requireScope(caller, 'pricing:read');
    const { sort } = query;
    const filter = readFilter(query);
    const paging = { limit: query.limit, filters: ['market', filter, sort] };
    const after = toPosition(sort, await context.cursors.read(query.cursor, paging.filters));
    const window = { sort, limit: query.limit + 1 };

    const offset = query.offset ?? 0;
    const { listings, total } = after
      ? { listings: await listMarket(context, filter, { ...window, after }), total: undefined }
      : await listMarketFrom(context, filter, { ...window, offset });
    const { page, nextCursor } = await cutPage(context.cursors, listings, paging, (row) =>
      positionKeys(sort).map((key) => row[key]),
    );
    const unmasked = seesPrices(caller);
    return reply(200, {
      items: page.map((listing) => listingView(listing, unmasked)),
      page: {
        limit: query.limit,
        has_more: nextCursor !== null,
        next_cursor: nextCursor,
        ...(total !== undefined && { offset, total }),
      },
    });
  },
});

type Query = Static<typeof ListingsQuery>;

/** Whether the sort or a filter would tell what the masks hide. */
function tellsPrices({ sort, min_price_cents: min, max_price_cents: max }: Query): boolean {
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

function toPosition(
  sort: MarketSort,
  position: CursorPosition | null,
): Partial<MarketPosition> | null {
  return position && Object.fromEntries(positionKeys(sort).map((key, at) => [key, position[at]]));
}
