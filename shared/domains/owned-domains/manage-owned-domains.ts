import type { DomainName } from '../../market/names/domain-name.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, type Clock, DAY, dayOf } from '../../platform/clock.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { fail } from '../../platform/errors.ts';
import { type Page, readPage } from '../../platform/page.ts';
import type { DomainFacts, Registrars } from '../registrar/registrar.ts';
import {
  countOwned,
  deleteOwned,
  deleteReturned,
  listOwned,
  lockOwned,
  readOwned,
  selectForUpdate,
  selectOnTheirWay,
  selectOwnedWith,
  selectOwnerId,
  selectResaleFaults,
  selectTaken,
  selectTakenFrom,
  updateRenewalFault,
  updateReturned,
  updateTags,
  updateTaken,
  writeDomains,
  writeFacts,
} from './owned-domain.store.ts';
import {
  OWNERS_ENVIRONMENT,
  type OwnedDomain,
  type OwnedDomainFilter,
  type OwnedDomainPosition,
  type OwnedDomainSort,
} from './owned-domain.ts';

/** Returns a page of a user's domains, by name or expiry. */
export function listOwnedDomains(
  { db }: { db: Database },
  userId: string,
  filter: OwnedDomainFilter,
  page: { sort: OwnedDomainSort; after: OwnedDomainPosition | null; limit: number },
): Promise<Page<OwnedDomain, OwnedDomainPosition>> {
  const read = (limit: number) => listOwned(db.knex, userId, filter, { ...page, limit });
  return readPage(page.limit, read, ({ domain, expiresAt }) => ({ domain, expiresAt }));
}

/** Returns a user's domain. @throws not_found, also for another user's domain */
export async function readOwnedDomain(
  { db }: { db: Database },
  userId: string,
  domain: string,
): Promise<OwnedDomain> {
  const [owned] = await readOwned(db.knex, userId, [domain]);
  if (!owned) throw fail('not_found', { message: 'This domain is not in your account.' });
  return owned;
}

/**
 * Fetches a domain's current data from the registrar, stores it and returns the domain.
 * @throws service_unavailable if the registrar does not respond, not_found if it no longer holds the domain
 */
export async function refreshOwnedDomain(
  deps: { db: Database; registrars: Registrars },
  { userId, domain }: { userId: string; domain: string },
): Promise<OwnedDomain> {
  const registrar = deps.registrars(OWNERS_ENVIRONMENT);
  const told = await registrar.inspect([domain]).catch((error: unknown) => {
    throw fail('service_unavailable', { cause: error, message: NO_ANSWER });
  });
  await deps.db.transact((uow) => recordFacts(uow, told));
  if (told.length === 0) throw fail('not_found', { message: 'The registrar no longer holds it.' });
  return readOwnedDomain(deps, userId, domain);
}

const NO_ANSWER = 'The registry is not responding right now. Nothing was changed. Try again later.';

/** A domain without automatic renewal that expires within this many days of today (UTC) needs its owner's attention. */
export const ENDING_DAYS = 30;

/**
 * Counts a user's domains: all, and those for sale; of those neither sold nor returned, those that end soon without
 * automatic renewal (or whose renewal failed), and those that expired before today.
 */
export function countOwnedDomains(
  { db, clock }: { db: Database; clock: Clock },
  userId: string,
): Promise<{ total: number; listed: number; ending: number; expired: number }> {
  const today = new Date(dayOf(clock.now()));
  return countOwned.one(db.knex, { userId, today, soon: addMs(today, ENDING_DAYS * DAY) });
}

/** Returns those of `domains` (A-labels) that the user owns, by name. */
export async function findOwnedDomains(
  sql: Sql,
  userId: string,
  domains: readonly string[],
): Promise<Map<string, OwnedDomain>> {
  return byDomain(await readOwned(sql, userId, domains));
}

/** Maps domains by their A-labels. */
function byDomain(domains: readonly OwnedDomain[]): Map<string, OwnedDomain> {
  return new Map(domains.map((owned) => [owned.domain, owned]));
}

/** Returns those of `domains` (A-labels) that the user owns, by name, locked until the transaction ends. */
export async function lockOwnedDomains(
  uow: UnitOfWork,
  userId: string,
  domains: readonly string[],
): Promise<Map<string, OwnedDomain>> {
  return byDomain(await lockOwned(uow.sql, userId, domains));
}

/** Locks a domain (A-labels), whoever owns it: waits for changes under way and delays later ones. */
export async function lockOwnedDomain(uow: UnitOfWork, domain: string): Promise<void> {
  await selectForUpdate.send(uow.pipeline, { domain });
}

/** Returns the ID of the user who owns a domain (A-labels), if any. */
export async function findOwnerId(sql: Sql, domain: string): Promise<string | undefined> {
  return (await selectOwnerId.first(sql, { domain }))?.userId;
}

/** Stores what the registrar reported about domains; drops a report that is older than the stored one. */
export async function recordFacts(uow: UnitOfWork, facts: readonly DomainFacts[]): Promise<void> {
  if (facts.length > 0) await writeFacts(uow.sql, facts, uow.now);
}

/** Records why an automatic renewal before `expiresAt` failed; cleared once the expiry changes. */
export async function noteRenewalFault(
  sql: Sql,
  fault: { domain: string; expiresAt: Date; reason: string },
): Promise<void> {
  await updateRenewalFault.run(sql, fault);
}

/** Returns whether the owner of a domain is the one who bought it with this order. */
export async function isStillWithBuyer(
  sql: Sql,
  purchase: { domain: string; orderId: string },
): Promise<boolean> {
  return (await selectOwnedWith.one(sql, purchase)).found;
}

/**
 * Returns why the owner of a LIVE domain (A-labels) cannot resell it with a new sale, in a sentence for staff; undefined
 * if they can, or if nobody here owns it.
 * @param isPaid whether the buyer has paid: a dispute that was opened since does not end their sale
 */
export async function findResaleFault(
  sql: Sql,
  domain: string,
  { isPaid }: { isPaid: boolean },
): Promise<string | undefined> {
  const faults = await selectResaleFaults.first(sql, { domain });
  if (faults?.isLeaving) {
    return `The authorization code of ${domain} is out: it may leave for another registrar. Its owner has to revoke it first.`;
  }
  return faults?.isDisputed && !isPaid
    ? `The payment with which its owner bought ${domain} is disputed. It cannot be resold until the dispute ends.`
    : undefined;
}

/**
 * Gives domains to a user, except those that still belong to somebody else. Returns those the user owns now, and whether
 * each is new, and the `former` owners of those that were no longer theirs.
 */
export function giveDomains(
  uow: UnitOfWork,
  userId: string,
  domains: readonly { name: DomainName; facts: DomainFacts }[],
): ReturnType<typeof writeDomains> {
  return writeDomains(uow.sql, userId, domains, uow.realNow);
}

/** Returns those of `domains` (A-labels) that are sold and on their way to the buyer. */
export async function findOnTheirWay(sql: Sql, domains: readonly string[]): Promise<Set<string>> {
  const rows = await selectOnTheirWay.all(sql, { domains: [...domains] });
  return new Set(rows.map(({ domain }) => domain));
}

/** Removes a domain that moved to another registrar from its owner. */
export async function forgetOwnedDomain(
  uow: UnitOfWork,
  owner: { userId: string; domain: string },
): Promise<void> {
  await deleteOwned.first(uow.sql, owner);
}

/** Removes a sold domain that another registrar has from a former owner whose purchase was taken back. */
export async function forgetReturnedDomain(uow: UnitOfWork, domain: string): Promise<void> {
  await deleteReturned.run(uow.sql, { domain });
}

/** Records that another registrar has a domain, which the caller must have locked, although nobody here let it go. */
export async function noteTaken(uow: UnitOfWork, domain: string): Promise<void> {
  await updateTaken.run(uow.sql, { domain, now: uow.now });
}

/** Records that a domain which another registrar took is back; returns its owner, or undefined if it was not taken. */
export function noteReturned(
  uow: UnitOfWork,
  domain: string,
): Promise<{ userId: string } | undefined> {
  return updateReturned.first(uow.sql, { domain });
}

/** Returns up to `limit` domains that another registrar took, in order of their names, after `after`. */
export async function listTaken(
  sql: Sql,
  page: { after: string; limit: number },
): Promise<string[]> {
  return (await selectTaken.all(sql, page)).map(({ domain }) => domain);
}

/** Returns from whom another registrar took a domain, and when; undefined if none did. */
export function findTaken(
  sql: Sql,
  domain: string,
): Promise<{ email: string; takenAt: Date } | undefined> {
  return selectTakenFrom.first(sql, { domain });
}

/** Replaces the tags of domains, which the caller must have locked. */
export async function setTags(
  uow: UnitOfWork,
  tagged: readonly { domain: string; tags: readonly string[] }[],
): Promise<void> {
  if (tagged.length > 0) await updateTags.run(uow.sql, { tagged, now: uow.now });
}
