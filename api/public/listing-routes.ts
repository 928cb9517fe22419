import { type Static, Type } from 'typebox';
import {
  listMarket,
  listMarketFrom,
  MATCH_SORTS,
  type MarketFilter,
  type MarketListing,
  type MarketSort,
  type MatchCursor,
  type MatchSort,
  matchSortKeys,
  searchMarket,
} from '../../shared/market/inventory/market-listings.ts';
import { maskPrice, showPrice } from '../../shared/market/inventory/masked-price.ts';
import { searchTextOf } from '../../shared/market/names/domain-name.ts';
import { invalid } from '../../shared/platform/errors.ts';
import { type Cents, MAX_PRICE_CENTS } from '../../shared/platform/money.ts';
import { cutPage } from '../../shared/platform/page.ts';
import { Instant, nullable, parseTldFilter, TldFilter } from '../http/common-schemas.ts';
import { PageQuery, type PositionFormat } from '../http/pagination.ts';
import { reply } from '../http/reply.ts';
import { requireScope, seesPrices } from './public-caller.ts';
import { type PublicContext, publicRoute } from './public-route.ts';

/** The maximum offset. Offsets are for browsing; to read further, use the cursor. */
const MAX_OFFSET = 10_000;

/** The sorts that would reveal masked prices. */
const PRICE_SORTS: readonly MarketSort[] = ['price_asc', 'price_desc'];

const PriceBound = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: MAX_PRICE_CENTS,
    description: 'Minor units; for signed-in callers.',
  }),
);

const MAX_QUERY = 500;

const ListingsQuery = Type.Object({
  ...PageQuery,
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_QUERY,
      description: 'Only domains that match these words by meaning, keyword or name.',
    }),
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_OFFSET,
      description: 'The number of rows to skip. Cannot be combined with `cursor`.',
    }),
  ),
  tld: TldFilter,
  category: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Only this category (case-insensitive).',
    }),
  ),
  sort: Type.Optional(
    Type.Enum([...MATCH_SORTS], {
      description:
        'Defaults to `newest`, or with `q` to `relevance`. `relevance` requires `q`. The price sorts require sign-in.',
    }),
  ),
  min_price_cents: PriceBound,
  max_price_cents: PriceBound,
});

const ListingsView = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        domain: Type.String({ description: 'In A-labels (Punycode), lower case.' }),
        tld: Type.String(),
        price_cents: nullable(Type.Integer({ description: 'Null if the price is masked.' })),
        price_masked: Type.Boolean(),
        price_display: Type.String({
          description:
            'The price in whole units with all but its first digits hidden. Two digits are shown from 1,000 on, one from 10 on.',
          examples: ['$4,8**'],
        }),
        currency: Type.String(),
        offers_accepted: Type.Boolean(),
        listed_at: Instant,
      }),
    ),
    page: Type.Object({
      limit: Type.Integer(),
      has_more: Type.Boolean(),
      next_cursor: nullable(Type.String()),
      offset: Type.Optional(
        Type.Integer({ description: 'Only on pages requested without a cursor.' }),
      ),
      total: Type.Optional(
        Type.Integer({ description: 'Only on pages requested without a cursor.' }),
      ),
    }),
  },
  { description: 'The number of domains on the market.' },
);

/** `GET /market/listings`: lists the LIVE market, by cursor or by offset. */
export const listListingsRoute = publicRoute({
  method: 'GET',
  path: '/market/listings',
  operationId: 'listListings',
  summary: 'List or search the domains for sale.',
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
    const unmasked = seesPrices(caller);
    const asked = { q: query.q?.trim(), filter: readFilter(query), hidePrices: !unmasked };
    const { sort = asked.q === undefined ? 'newest' : 'relevance' } = query;
    const words = asked.q === undefined ? [] : [asked.q];
    const cursors = context.cursors.of(['market', asked.filter, sort, ...words], inOrder(sort));
    const after = await cursors.read(query.cursor);

    const offset = query.offset ?? 0;
    const window = { sort, after, offset, limit: query.limit + 1 };
    const { listings, total } = await readRows(context, asked, window);
    const isNarrowed = Object.values(asked.filter).some((each) => each !== null);
    if (asked.q !== undefined && total === 0 && !isNarrowed) {
      context.searchMisses.count('LIVE', asked.q);
    }
    const { rows, next } = cutPage(listings, query.limit, (last) => last);
    return reply(200, {
      items: rows.map((listing) => listingView(listing, unmasked)),
      page: {
        limit: query.limit,
        has_more: next !== null,
        next_cursor: await cursors.write(next),
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
  { q, filter, hidePrices }: { q: string | undefined; filter: MarketFilter; hidePrices: boolean },
  { sort, after, offset, limit }: Window,
): Promise<{ listings: (MarketListing & { score?: number })[]; total?: number }> {
  if (q !== undefined) {
    return searchMarket(
      context,
      { query: searchTextOf(q), filter, hidePrices },
      { sort, after, offset, limit },
    );
  }
  if (sort === 'relevance') {
    throw invalid([{ path: '/sort', message: 'must not be relevance without q' }]);
  }
  if (after) return { listings: await listMarket(context, filter, { sort, after, limit }) };
  return listMarketFrom(context, filter, { sort, offset, limit });
}

/** Returns whether the sort or a filter would reveal masked prices. */
function revealsPrices({ sort, min_price_cents: min, max_price_cents: max }: Query): boolean {
  return PRICE_SORTS.some((known) => known === sort) || min !== undefined || max !== undefined;
}

/** @throws validation_error */
function readFilter(query: Query): MarketFilter {
  const tld = parseTldFilter(query.tld);
  const { min_price_cents: minPriceCents = null, max_price_cents: maxPriceCents = null } = query;
  if (minPriceCents !== null && maxPriceCents !== null && minPriceCents > maxPriceCents) {
    throw invalid([{ path: '/min_price_cents', message: 'must not be above max_price_cents' }]);
  }
  return { tld, category: query.category ?? null, minPriceCents, maxPriceCents };
}

/** Returns the position format of a sort: only its sort keys, so that a cursor reveals no masked price. */
function inOrder(sort: MatchSort): PositionFormat<Partial<MatchCursor>> {
  const keys = matchSortKeys(sort);
  return {
    write: (match) => keys.map((key) => match[key] ?? 0),
    read: (values) => Object.fromEntries(keys.map((key, index) => [key, values[index]])),
  };
}

/** Returns a domain on the market; its price is masked unless the caller may see prices. */
function listingView(listing: MarketListing, unmasked: boolean) {
  return {
    domain: listing.domain,
    tld: listing.tld,
    ...priceView(listing, unmasked),
    currency: listing.currency,
    offers_accepted: listing.offersAccepted,
    listed_at: listing.listedAt.toISOString(),
  };
}

/** Returns a price as the public API shows it: 485000 and `$4,850`, or no number and `$4,8**`. */
export function priceView(
  { priceCents, currency }: { priceCents: Cents; currency: string },
  unmasked: boolean,
) {
  return {
    price_cents: unmasked ? priceCents : null,
    price_masked: !unmasked,
    price_display: (unmasked ? showPrice : maskPrice)(priceCents, currency),
  };
}
