import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import {
  beginningWith,
  type ListPage,
  type NameSort,
  type Page,
  readPage,
} from '../../platform/page.ts';
import * as store from './console-domains.store.ts';

const domainOf = ({ domain }: { domain: string }) => domain;

/** Lists the domains of all owners or one, by name, optionally only missed renewals. The page's period is of expiry. */
export function listAllOwnedDomains(
  { db, clock }: { db: Database; clock: Clock },
  filter: { userId: string | null; beginning: string | null; unrenewed: boolean },
  { sort, ...page }: ListPage<NameSort>,
): Promise<Page<store.ConsoleOwnedDomain>> {
  const given = {
    ...filter,
    ...page,
    now: clock.now(),
    beginning: beginningWith(filter.beginning),
  };
  const read = (limit: number) => store.selectOwnedDomains[sort].all(db.knex, { ...given, limit });
  return readPage(page.limit, read, domainOf);
}
