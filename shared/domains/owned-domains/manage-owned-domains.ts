import type { Database } from '../../delivery/unit-of-work/database.ts';
import type { UnitOfWork } from '../../delivery/unit-of-work/unit-of-work.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { type Page, readPage } from '../../platform/page.ts';
import type { DomainFacts } from '../registrar/registrar.ts';
import { listOwned, lockOwned, readOwned, updateTags, writeFacts } from './owned-domain.store.ts';
import type { OwnedDomain, OwnedDomainFilter } from './owned-domain.ts';

/** A page of a user's domains by name, after the domain `after`. */
export function listOwnedDomains(
  { db }: { db: Database },
  userId: string,
  filter: OwnedDomainFilter,
  { after, limit }: { after: string | null; limit: number },
): Promise<Page<OwnedDomain>> {
  const read = (limit: number) => listOwned(db.knex, userId, filter, { after, limit });
  return readPage(limit, read, ({ domain }) => domain);
}

/** Those of `domains` (A-labels) that are the user's, by name. */
export async function findOwnedDomains(
  sql: Sql,
  userId: string,
  domains: readonly string[],
): Promise<Map<string, OwnedDomain>> {
  return byDomain(await readOwned(sql, userId, domains));
}

/** Domains by their A-labels. */
export function byDomain(domains: readonly OwnedDomain[]): Map<string, OwnedDomain> {
  return new Map(domains.map((owned) => [owned.domain, owned]));
}

/** Those of `domains` (A-labels) that are the user's, by name, locked until the transaction ends. */
export async function lockOwnedDomains(
  uow: UnitOfWork,
  userId: string,
  domains: readonly string[],
): Promise<Map<string, OwnedDomain>> {
  return byDomain(await lockOwned(uow.sql, userId, domains));
}

/** Keeps what the registrar told of domains; an older word of it than the one known is dropped. */
export async function recordFacts(uow: UnitOfWork, facts: readonly DomainFacts[]): Promise<void> {
  if (facts.length > 0) await writeFacts(uow.sql, facts, uow.now);
}

/** Gives domains, which the caller has locked, these tags and no others. */
export async function setTags(
  uow: UnitOfWork,
  tagged: readonly { domain: string; tags: readonly string[] }[],
): Promise<void> {
  if (tagged.length > 0) await updateTags.run(uow.sql, { tagged, now: uow.now });
}
