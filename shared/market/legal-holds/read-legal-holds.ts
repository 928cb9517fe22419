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

/** Returns whether a LIVE domain (A-labels) has an active hold. */
export async function isOnLegalHold(sql: Sql, domain: string): Promise<boolean> {
  return (await selectHeld.first(sql, { domains: [domain] })) !== undefined;
}

/**
 * Returns those of `domains` (A-labels) with an active hold and keeps others from changing holds until the transaction
 * ends. For domains without a row to lock, such as one about to be listed. Call it before locking any other row.
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

/** Like {@link lockHeldDomains}, for one domain. @throws conflict (legal_hold) if it is on hold */
export async function assertNotOnLegalHold(
  uow: UnitOfWork,
  environment: Environment,
  domain: string,
): Promise<void> {
  const held = await lockHeldDomains(uow, environment, [domain]);
  if (held.has(domain)) throw onLegalHold(domain);
}

/** Returns a hold, active or lifted. @throws not_found */
export async function readLegalHold(sql: Sql, id: string): Promise<LegalHold> {
  const hold = await selectHold.first(sql, { id });
  if (!hold) throw fail('not_found', { message: 'No legal hold has this ID.' });
  return hold;
}

/** Returns the id of a case's active hold on a domain (A-labels); undefined if there is none. */
export async function findStandingHold(
  sql: Sql,
  of: { domain: string; caseReference: string },
): Promise<string | undefined> {
  return (await selectStanding.first(sql, of))?.id;
}

/** Returns a page of holds by when they were placed: all or active ones. `beginning` is a prefix of the A-label. */
export function listLegalHolds(
  { db }: { db: Database },
  filter: { standing: boolean; beginning: string | null },
  { sort, ...page }: ListPage<ListSort>,
): Promise<Page<LegalHold>> {
  const given = { ...page, standing: filter.standing, beginning: beginningWith(filter.beginning) };
  return readPage(page.limit, (limit) => selectHolds[sort].all(db.knex, { ...given, limit }), idOf);
}
