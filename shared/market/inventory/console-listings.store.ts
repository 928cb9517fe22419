import type { Environment } from '../../platform/config/config.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  bigint,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { NAME_SORTS } from '../../platform/page.ts';
import type { ListingStatus } from './listing.ts';

// Lists that only the console has: each page is read by a unique index, whatever the length of the table.

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

/** Listings by name, those that begin with a text: by `listings_environment_domain_key`. */
export const selectListings = variantsOf(NAME_SORTS, (sort) =>
  defineStatement({
    params: {
      environment: textOf<Environment>(),
      status: nullable(textOf<ListingStatus>()),
      beginning: text,
      from: nullable(timestamptz),
      to: nullable(timestamptz),
      after: nullable(text),
      limit: bigint,
    },
    row: LISTING,
    text: `select id, environment, domain, domain_unicode as "domainUnicode", status,
        price_cents as "priceCents", floor_price_cents as "floorPriceCents", currency, category,
        listed_at as "listedAt", updated_at as "updatedAt"
      from listings
      where environment = :environment and domain like :beginning
        and (:status::text is null or status = :status)
        and (:from::timestamptz is null or listed_at >= :from)
        and (:to::timestamptz is null or listed_at < :to)
        and (:after::text is null or domain ${sort === 'a_to_z' ? '>' : '<'} :after)
      order by domain ${sort === 'a_to_z' ? 'asc' : 'desc'} limit :limit`,
  }),
);
