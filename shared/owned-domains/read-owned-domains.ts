import type { Database, Sql } from '../platform/db.ts';
import { selectOwned, selectPage } from './owned-domain.store.ts';
import type { OwnedDomain, OwnedDomainFilter } from './owned-domain.ts';

/** A page of a user's domains by name, after the domain `after`. */
export function listOwnedDomains(
  { db }: { db: Database },
  userId: string,
  filter: OwnedDomainFilter,
  page: { after: string | null; limit: number },
): Promise<OwnedDomain[]> {
  return selectPage(db.knex, userId, filter, page);
}

/** Those of `domains` (A-labels) that are the user's, by name. */
export async function findOwnedDomains(
  sql: Sql,
  userId: string,
  domains: readonly string[],
): Promise<Map<string, OwnedDomain>> {
  return byDomain(await selectOwned(sql, userId, domains));
}

/** Domains by their A-labels. */
export function byDomain(domains: readonly OwnedDomain[]): Map<string, OwnedDomain> {
  return new Map(domains.map((owned) => [owned.domain, owned]));
}
