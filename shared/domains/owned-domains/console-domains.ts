import type { Database } from '../../messaging/unit-of-work/database.ts';
import {
  beginningWith,
  type ListPage,
  type NameSort,
  type Page,
  readPage,
} from '../../platform/page.ts';
import * as store from './console-domains.store.ts';

const domainOf = ({ domain }: { domain: string }) => domain;

/** Domains of all owners or of one, by name; the stretch of time is of their expiry. */
export function listAllOwnedDomains(
  { db }: { db: Database },
  filter: { userId: string | null; beginning: string | null },
  { sort, ...page }: ListPage<NameSort>,
): Promise<Page<store.ConsoleOwnedDomain>> {
  const given = { ...filter, ...page, beginning: beginningWith(filter.beginning) };
  const read = (limit: number) => store.selectOwnedDomains[sort].all(db.knex, { ...given, limit });
  return readPage(page.limit, read, domainOf);
}
