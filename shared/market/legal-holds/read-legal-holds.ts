import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { fail } from '../../platform/errors.ts';
import {
  beginningWith,
  idOf,
  type ListPage,
  type ListSort,
  type Page,
  readPage,
} from '../../platform/page.ts';
import {
  lockAgainstChanges,
  selectHeld,
  selectHold,
  selectHolds,
  selectStanding,
} from './legal-hold.store.ts';
import { type LegalHold, onLegalHold } from './legal-hold.ts';

/** Whether a hold stands on a LIVE domain (A-labels). */
export async function isOnLegalHold(sql: Sql, domain: string): Promise<boolean> {
  return (await selectHeld.first(sql, { domains: [domain] })) !== undefined;
}

/**
 * Those of `domains` (A-labels) on which a hold stands; until the transaction ends, nobody places or lifts one. For
 * what has no row of its own to lock, such as a domain that is to be listed; before any other row is locked.
 */
export async function lockHeldDomains(
  uow: UnitOfWork,
  environment: Environment,
  domains: readonly string[],
): Promise<Set<string>> {
  if (environment !== 'LIVE') return new Set();
  await lockAgainstChanges.send(uow.pipeline);
  const held = await selectHeld.all(uow.sql, { domains: [...domains] });
  return new Set(held.map(({ domain }) => domain));
}

/** The same for one domain. @throws conflict (legal_hold) when it is on hold */
export async function assertNotOnLegalHold(
  uow: UnitOfWork,
  environment: Environment,
  domain: string,
): Promise<void> {
  const held = await lockHeldDomains(uow, environment, [domain]);
  if (held.has(domain)) throw onLegalHold(domain);
}

/** A hold, standing or lifted. @throws not_found */
export async function readLegalHold(sql: Sql, id: string): Promise<LegalHold> {
  const hold = await selectHold.first(sql, { id });
  if (!hold) throw fail('not_found', { message: 'No legal hold has this id.' });
  return hold;
}

/** The id of the hold of a case that stands on a domain (A-labels); undefined when none does. */
export async function findStandingHold(
  sql: Sql,
  of: { domain: string; caseReference: string },
): Promise<string | undefined> {
  return (await selectStanding.first(sql, of))?.id;
}

/** Holds by the time when they were placed: all, or those that stand; `beginning` of the A-label. */
export function listLegalHolds(
  { db }: { db: Database },
  filter: { standing: boolean; beginning: string | null },
  { sort, ...page }: ListPage<ListSort>,
): Promise<Page<LegalHold>> {
  const given = { ...page, standing: filter.standing, beginning: beginningWith(filter.beginning) };
  return readPage(page.limit, (limit) => selectHolds[sort].all(db.knex, { ...given, limit }), idOf);
}
