import { Type } from 'typebox';
import { MATCH_SORTS } from '../../../shared/domain-search/search-market.ts';
import type { MarketSort } from '../../../shared/inventory/list-market.ts';
import { MAX_PRICE_CENTS } from '../../../shared/platform/money.ts';
import { PageQuery } from '../../http/pagination.ts';
import { Instant, nullable } from '../../http/schema.ts';

/** Offsets are for looking around; whoever wants more rows than that walks on by the cursor. */
const MAX_OFFSET = 10_000;

/** The sorts that would tell what the masks hide. */
export const PRICE_SORTS: readonly MarketSort[] = ['price_asc', 'price_desc'];

const PriceBound = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: MAX_PRICE_CENTS,
    description: 'Minor units; for signed-in callers.',
  }),
);

const MAX_QUERY = 500;

export const ListingsQuery = Type.Object({
  ...PageQuery,
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_QUERY,
      description: 'Only domains that answer these words, by meaning, keyword or name.',
    }),
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_OFFSET,
      description: 'Rows to leave out at the start; not together with `cursor`.',
    }),
  ),
  tld: Type.Optional(Type.String({ maxLength: 255, description: 'Only this suffix: `com`.' })),
  category: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Only this category, in any case.' }),
  ),
  sort: Type.Optional(
    Type.Enum([...MATCH_SORTS], {
      description:
        '`newest` when left out, with `q` `relevance`. `relevance` goes with `q` only. The price sorts are for signed-in callers.',
    }),
  ),
  min_price_cents: PriceBound,
  max_price_cents: PriceBound,
});

export const ListingsView = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        domain: Type.String({ description: 'A-labels, lower case.' }),
        tld: Type.String(),
        price_cents: nullable(Type.Integer({ description: 'Null while masked.' })),
        price_masked: Type.Boolean(),
        price_display: Type.String({
          description:
            'The price in whole units with all but its first digits hidden: two are shown from 1,000 on, one from 10 on.',
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
      offset: Type.Optional(Type.Integer({ description: 'On pages without a cursor.' })),
      total: Type.Optional(Type.Integer({ description: 'On pages without a cursor.' })),
    }),
  },
  { description: 'Domains on the market.' },
);
