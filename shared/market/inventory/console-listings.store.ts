import type { Environment } from '../../platform/config/config.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  bigint,
  boolean,
  integer,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
  timestamptzText,
} from '../../platform/database/sql-types.ts';
import { NAME_SORTS, type NameSort } from '../../platform/page.ts';
import type { ListingStatus } from './listing.ts';

// Lists that only the console has: each page is read by an index, whatever the length of the table.

const LISTING = {
  id: bigint,
  environment: textOf<Environment>(),
  domain: text,
  domainUnicode: text,
  status: textOf<ListingStatus>(),
  priceCents: bigint,
  floorPriceCents: nullable(bigint),
  currency: text,
  category: nullable(text),
  listedAt: timestamptz,
  updatedAt: timestamptz,
};
export type ConsoleListing = RowOf<typeof LISTING>;

const COLUMNS = `id, environment, domain, domain_unicode as "domainUnicode", status, price_cents as "priceCents",
  floor_price_cents as "floorPriceCents", currency, category, listed_at as "listedAt", updated_at as "updatedAt"`;

const PAGE = {
  environment: textOf<Environment>(),
  status: nullable(textOf<ListingStatus>()),
  beginning: text,
  after: nullable(text),
  limit: bigint,
};
/** None is ever null, so that Postgres reads by it. */
const LISTED = { from: timestamptzText, to: timestamptzText };

const OF_NAME = (sort: NameSort) => `environment = :environment and domain like :beginning
  and (:after::text is null or domain ${sort === 'a_to_z' ? '>' : '<'} :after)`;
const OF_STATUS = '(:status::text is null or status = :status)';
const LISTED_WITHIN = 'listed_at >= :from and listed_at < :to';
const byName = (sort: NameSort) => `order by domain ${sort === 'a_to_z' ? 'asc' : 'desc'}`;

/** Listings by name, those that begin with a text: by `listings_environment_domain_key`. */
export const selectListings = variantsOf(NAME_SORTS, (sort) =>
  defineStatement({
    params: PAGE,
    row: LISTING,
    text: `select ${COLUMNS} from listings where ${OF_NAME(sort)} and ${OF_STATUS} ${byName(sort)} limit :limit`,
  }),
);

/** How many listings of an inventory were listed within a time, counted up to a limit: by `listings_by_time`. */
export const countListed = defineStatement({
  params: { environment: textOf<Environment>(), ...LISTED, limit: bigint },
  row: { count: integer },
  text: `select count(*)::int as count
    from (select from listings where environment = :environment and ${LISTED_WITHIN} limit :limit) l`,
});

/** The same as {@link selectListings} of few that were listed within a time: all of them are read. */
export const selectListedWithin = variantsOf(NAME_SORTS, (sort) =>
  defineStatement({
    params: { ...PAGE, ...LISTED },
    row: LISTING,
    // Without the offset Postgres might read all names instead.
    text: `select ${COLUMNS} from (
        select * from listings where environment = :environment and ${LISTED_WITHIN} offset 0) l
      where ${OF_NAME(sort)} and ${OF_STATUS} ${byName(sort)} limit :limit`,
  }),
);

/** Few listings have this status; those have an index. */
const OF_RARE_STATUS = `(:status::text is distinct from 'delisted' or status = 'delisted')`;

/**
 * The same of many, among as many names as are looked through. Where that ends before `limit` were found, the last one
 * that was looked at follows, and is no match.
 */
export const selectListedAmong = variantsOf(NAME_SORTS, (sort) => {
  const lookedThrough = `from listings where ${OF_NAME(sort)} and ${OF_RARE_STATUS} ${byName(sort)}`;
  return defineStatement({
    params: { ...PAGE, ...LISTED, lookThrough: bigint },
    row: { ...LISTING, matches: boolean },
    // The second part is read only while the first one has not filled the page.
    text: `(select ${COLUMNS}, true as matches from (select * ${lookedThrough} limit :lookThrough) l
        where ${OF_STATUS} and ${LISTED_WITHIN} ${byName(sort)} limit :limit)
      union all
      (select ${COLUMNS}, false ${lookedThrough} offset :lookThrough::bigint - 1 limit 1)
      limit :limit`,
  });
});
