import type { Caller } from '../partners/credential.ts';
import type { Database } from '../platform/db.ts';
import { assertAffiliate } from './affiliate.ts';
import { type LinkFilter, type LinkStats, listLinkStats } from './referral-link.store.ts';

export type { LinkStats } from './referral-link.store.ts';

/** A page of the caller's links with what came of each, newest first. @throws forbidden */
export async function listLinks(
  { db }: { db: Database },
  caller: Caller,
  filter: LinkFilter,
): Promise<LinkStats[]> {
  assertAffiliate(caller);
  return listLinkStats(db.knex, caller, filter);
}
