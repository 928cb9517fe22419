import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Environment } from '../../platform/config/config.ts';
import {
  beginningWith,
  type ListPage,
  type NameSort,
  type Page,
  readPage,
} from '../../platform/page.ts';
import * as store from './console-listings.store.ts';
import type { ListingStatus } from './listing.ts';

const domainOf = ({ domain }: { domain: string }) => domain;

/** Listings of an inventory by name; `beginning` of the A-label. */
export function listListings(
  { db }: { db: Database },
  filter: { environment: Environment; status: ListingStatus | null; beginning: string | null },
  { sort, ...page }: ListPage<NameSort>,
): Promise<Page<store.ConsoleListing>> {
  const given = { ...filter, ...page, beginning: beginningWith(filter.beginning) };
  const read = (limit: number) => store.selectListings[sort].all(db.knex, { ...given, limit });
  return readPage(page.limit, read, domainOf);
}
