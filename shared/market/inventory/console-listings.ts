import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Environment } from '../../platform/config/config.ts';
import {
  beginningWith,
  cutPageSoFar,
  type ListPage,
  LOOK_THROUGH,
  type NameSort,
  type Page,
  readPage,
} from '../../platform/page.ts';
import * as store from './console-listings.store.ts';
import type { ListingStatus } from './listing.ts';

const domainOf = ({ domain }: { domain: string }) => domain;

/**
 * Returns a page of listings by name; `beginning` is a prefix of the A-label. If few listings fall within the listing
 * period, all are read. Otherwise only the next `lookThrough` names are scanned, so a page may be short or empty and
 * still have a next page.
 */
export async function listListings(
  { db }: { db: Database },
  filter: { environment: Environment; status: ListingStatus | null; beginning: string | null },
  { sort, limit, from, to, after }: ListPage<NameSort>,
  lookThrough = LOOK_THROUGH,
): Promise<Page<store.ConsoleListing>> {
  const { environment } = filter;
  const given = { ...filter, after, beginning: beginningWith(filter.beginning) };
  if (from === null && to === null) {
    const read = (rows: number) =>
      store.selectListings[sort].all(db.knex, { ...given, limit: rows });
    return readPage(limit, read, domainOf);
  }
  const listed = {
    from: from?.toISOString() ?? '-infinity',
    to: to?.toISOString() ?? 'infinity',
  };
  const within = { ...given, ...listed };
  const tooMany = lookThrough + 1;
  const { count } = await store.countListed.one(db.knex, {
    environment,
    ...listed,
    limit: tooMany,
  });
  if (count < tooMany) {
    const read = (rows: number) =>
      store.selectListedWithin[sort].all(db.knex, { ...within, limit: rows });
    return readPage(limit, read, domainOf);
  }
  const found = await store.selectListedAmong[sort].all(db.knex, {
    ...within,
    lookThrough,
    limit: limit + 1,
  });
  return cutPageSoFar(found, limit, domainOf);
}
