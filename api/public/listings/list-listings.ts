import type { Static } from 'typebox';
import { parseTld } from '../../../shared/inventory/domain-name.ts';
import {
  listMarket,
  listMarketFrom,
  MARKET_SORTS,
  type MarketFilter,
  type MarketPosition,
  type MarketSort,
} from '../../../shared/inventory/list-market.ts';
import { fail, invalid } from '../../../shared/platform/errors.ts';
import { type CursorPosition, cutPage } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { publicRoute } from '../route.ts';
import { ListingsQuery, ListingsView } from './listing.schema.ts';
import { listingView } from './listing.view.ts';

/** `GET /market/listings`: what is on the LIVE market, by cursor or by offset. */
export const listListingsRoute = publicRoute({
  method: 'GET',
  path: '/market/listings',
  summary: 'List the domains that are for sale.',
  limit: 'reads',
  query: ListingsQuery,
  responses: { 200: ListingsView },
  async handler(context, { query }) {
    if (query.offset !== undefined && query.cursor !== undefined) {
      throw invalid([{ path: '/offset', message: 'must not come together with cursor' }]);
    }
    const sort = unmaskedSort(query);
    const filter = readFilter(query);
    const paging = { limit: query.limit, filters: ['market', filter, sort] };
    const after = toPosition(await context.cursors.read(query.cursor, paging.filters));
    const window = { sort, limit: query.limit + 1 };

    const offset = query.offset ?? 0;
    const { listings, total } = after
      ? { listings: await listMarket(context, filter, { ...window, after }), total: undefined }
      : await listMarketFrom(context, filter, { ...window, offset });
    const { page, nextCursor } = await cutPage(context.cursors, listings, paging, fromPosition);
    return reply(200, {
      items: page.map(listingView),
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

/** The sort, when neither it nor a filter tells masked prices. @throws invalid_token */
function unmaskedSort(query: Query): MarketSort {
  const sort = MARKET_SORTS.find((known) => known === query.sort);
  const byPrice = query.min_price_cents !== undefined || query.max_price_cents !== undefined;
  if (sort !== undefined && !byPrice) return sort;
  throw fail('invalid_token', {
    message: 'Sign in to filter or sort by price, or leave the price parameters out.',
  });
}

/** @throws validation_error */
function readFilter(query: Query): MarketFilter {
  const tld = query.tld === undefined ? null : parseTld(query.tld);
  if (tld === undefined) {
    throw invalid([{ path: '/tld', message: 'must be a suffix such as com or co.uk' }]);
  }
  return { tld, category: query.category ?? null };
}

function fromPosition({ domain, listedAtExact, id }: MarketPosition): CursorPosition {
  return [domain, listedAtExact, id];
}

function toPosition(position: CursorPosition | null): MarketPosition | null {
  if (!position) return null;
  const [domain, listedAtExact, id] = position;
  return { domain: String(domain), listedAtExact: String(listedAtExact), id: Number(id) };
}
