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

// Lists for the console only. Every page is read through an index, whatever the size of the table.

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
/** The bounds are never null, so that Postgres can use the index. */
const LISTED = { from: timestamptzText, to: timestamptzText };

const OF_NAME = (sort: NameSort) => `environment = :environment and domain like :beginning
  and (:after::text is null or domain ${sort === 'a_to_z' ? '>' : '<'} :after)`;
const OF_STATUS = '(:status::text is null or status = :status)';
const LISTED_WITHIN = 'listed_at >= :from and listed_at < :to';
const byName = (sort: NameSort) => `order by domain ${sort === 'a_to_z' ? 'asc' : 'desc'}`;

/** Listings by name, filtered by prefix; uses `listings_environment_domain_key`. */
export const selectListings = variantsOf(NAME_SORTS, (sort) =>
  defineStatement({
    params: PAGE,
    row: LISTING,
    text: `select ${COLUMNS} from listings where ${OF_NAME(sort)} and ${OF_STATUS} ${byName(sort)} limit :limit`,
  }),
);

/** Counts the listings of an environment listed within a period, up to a limit; uses `listings_by_time`. */
export const countListed = defineStatement({
  params: { environment: textOf<Environment>(), ...LISTED, limit: bigint },
  row: { count: integer },
  text: `select count(*)::int as count
    from (select from listings where environment = :environment and ${LISTED_WITHIN} limit :limit) l`,
});

/** Like {@link selectListings}, when few were listed within the period: reads them all. */
export const selectListedWithin = variantsOf(NAME_SORTS, (sort) =>
  defineStatement({
    params: { ...PAGE, ...LISTED },
    row: LISTING,
    // `offset 0` keeps Postgres from scanning all names instead.
    text: `select ${COLUMNS} from (
        select * from listings where environment = :environment and ${LISTED_WITHIN} offset 0) l
      where ${OF_NAME(sort)} and ${OF_STATUS} ${byName(sort)} limit :limit`,
  }),
);

/** Few listings are delisted, and those have an index. */
const OF_RARE_STATUS = `(:status::text is distinct from 'delisted' or status = 'delisted')`;

/**
 * Like {@link selectListedWithin}, when many were listed: scans at most `lookThrough` names. If the scan ends before
 * `limit` matches, its last name follows as a row that does not match.
 */
export const selectListedAmong = variantsOf(NAME_SORTS, (sort) => {
  const lookedThrough = `from listings where ${OF_NAME(sort)} and ${OF_RARE_STATUS} ${byName(sort)}`;
  return defineStatement({
    params: { ...PAGE, ...LISTED, lookThrough: bigint },
    row: { ...LISTING, matches: boolean },
    // The second part is read only if the first does not fill the page.
    text: `(select ${COLUMNS}, true as matches from (select * ${lookedThrough} limit :lookThrough) l
        where ${OF_STATUS} and ${LISTED_WITHIN} ${byName(sort)} limit :limit)
      union all
      (select ${COLUMNS}, false ${lookedThrough} offset :lookThrough::bigint - 1 limit 1)
      limit :limit`,
  });
});
