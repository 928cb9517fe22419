import { createHmac } from 'node:crypto';
import { hastenJob } from '../../messaging/jobs/hasten-jobs.ts';
import { normalizeAddress } from '../../messaging/mail/mail.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, DAY } from '../../platform/clock.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import {
  deriveKey,
  type Resealed,
  resealColumn,
  type SecretBox,
} from '../../platform/crypto/secrets.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { newId } from '../../platform/ids.ts';
import type { Registrant } from '../registrants/registrant.ts';
import { followRegistrantJob, releaseHoldJob } from './domain-registrant.jobs.ts';
import { verifyRegistrantMail } from './domain-registrant.mails.ts';
import * as store from './domain-registrant.store.ts';
import { type DomainRegistrant, isMaterialChange } from './domain-registrant.ts';

interface Deps {
  config: Pick<Config, 'secretsKey'>;
  secrets: SecretBox;
}

/** How long an address may stay unverified (RAA, Whois Accuracy Program Specification, section 1.f). */
const VERIFY_WITHIN_MS = 15 * DAY;

/** A domain and the registrant for whom it is now registered. */
export interface Registered {
  environment: Environment;
  /** A-labels. */
  domain: string;
  registrant: Registrant;
  /** The partner and order that sold it, if any. */
  partnerId: string | null;
  orderId: string | null;
  /** Addresses already known to be read by the person who named the registrant. */
  knownAddresses: readonly string[];
  /** Whether a domain out of the DNS because of the previous address stays out until this one is verified. */
  keepsHold: boolean;
}

/**
 * Records the registrant of a domain and starts verification of their address, unless the same person has verified it
 * before. If the registrant is somebody else than before, through a sale or at the owner's request, the TLD's lock
 * after a registrant change begins.
 */
export async function recordRegistered(
  uow: UnitOfWork,
  { config, secrets }: Deps,
  { registrant, knownAddresses, ...of }: Registered,
): Promise<DomainRegistrant> {
  const before = await store.selectRegistrant.first(uow.sql, of);
  const former = before && openRegistrant({ secrets }, before);
  const digest = digestOf(config, registrant);
  const address = normalizeAddress(registrant.email);
  const isVerified =
    knownAddresses.some((each) => normalizeAddress(each) === address) ||
    (await store.selectIsVerified.one(uow.sql, { digest })).found;
  const recorded = await store.upsertRegistrant.one(uow.sql, {
    ...of,
    id: newId('registrant', uow.realNow),
    sealed: secrets.seal(JSON.stringify(registrant), contextOf(of)),
    digest,
    verification: isVerified ? 'verified' : 'pending',
    verifyBy: addMs(uow.now, VERIFY_WITHIN_MS),
    changedAt: isMaterialChange(former, registrant) ? uow.now : (before?.changedAt ?? null),
    now: uow.now,
  });
  if (!isVerified) await writeToRegistrant(uow, recorded, registrant);
  if (!isVerified || recorded.hold !== 'none') await followNow(uow, recorded);
  return recorded;
}

/** Updates the data of the same registrant; the verification state and deadline stay. */
export async function correctRegistered(
  uow: UnitOfWork,
  { config, secrets }: Deps,
  found: DomainRegistrant,
  registrant: Registrant,
): Promise<void> {
  await store.updateCorrected.run(uow.sql, {
    id: found.id,
    sealed: secrets.seal(JSON.stringify(registrant), contextOf(found)),
    digest: digestOf(config, registrant),
    now: uow.now,
  });
}

/** Decrypts a registrant. */
export function openRegistrant(
  { secrets }: { secrets: SecretBox },
  found: Pick<DomainRegistrant, 'environment' | 'domain' | 'sealed'>,
): Registrant {
  return JSON.parse(secrets.open(found.sealed, contextOf(found)));
}

/** Returns the registrant of a domain (A-labels); undefined if unknown or not with us. */
export function findRegistrant(
  sql: Sql,
  of: { environment: Environment; domain: string },
): Promise<DomainRegistrant | undefined> {
  return store.selectRegistrant.first(sql, of);
}

/** Returns when the registrants of these domains (A-labels) last changed to somebody else; others are omitted. */
export async function findChangesOf(
  sql: Sql,
  of: { environment: Environment; domains: readonly string[] },
): Promise<Map<string, Date>> {
  const changed = await store.selectChanged.all(sql, of);
  return new Map(changed.map(({ domain, changedAt }) => [domain, changedAt]));
}

/** Returns the registrant of an order's domain; undefined before registration and after a later re-registration. */
export function findRegistrantOfOrder(
  sql: Sql,
  orderId: string,
): Promise<DomainRegistrant | undefined> {
  return store.selectRegistrantOfOrder.first(sql, { orderId });
}

/** Like {@link findRegistrantOfOrder}, for many orders. */
export function findRegistrantsOfOrders(
  sql: Sql,
  orderIds: readonly string[],
): Promise<DomainRegistrant[]> {
  return store.selectRegistrantsOfOrders.all(sql, { orderIds: [...orderIds] });
}

/** Deletes the registrant of a domain that has left us. */
export async function forgetRegistrant(
  uow: UnitOfWork,
  { environment, domain }: { environment: Environment; domain: string },
): Promise<void> {
  await store.deleteRegistrant.first(uow.sql, { environment, domain, orderId: null });
}

/**
 * Deletes the registrant of a domain that stays with us, for its next owner or buyer. If it is out of the DNS because of
 * their address, a job returns it.
 * @param of.orderId keeps a registrant for whom it was not registered with this order, such as that of its seller
 */
export async function dropRegistrant(
  uow: UnitOfWork,
  of: { environment: Environment; domain: string; orderId?: string },
): Promise<void> {
  const { environment, domain, orderId = null } = of;
  const dropped = await store.deleteRegistrant.first(uow.sql, { environment, domain, orderId });
  if (!dropped || dropped.hold === 'none') return;
  // A hold that was just requested may arrive until the deadline of its job.
  const waitMs = dropped.hold === 'asked' ? 2 * followRegistrantJob.deadlineMs : 0;
  const runAt = addMs(uow.now, waitMs);
  uow.jobs.add(releaseHoldJob, { registrantId: dropped.id, environment, domain }, { runAt });
}

/** Sends the registrant another mail to verify the address. */
export async function writeToRegistrant(
  uow: UnitOfWork,
  { id, domain, round, verifyBy, hold, partnerId, environment }: DomainRegistrant,
  { email, country }: Pick<Registrant, 'email' | 'country'>,
): Promise<void> {
  const { mails } = await store.updateMailed.one(uow.sql, { id, now: uow.now });
  uow.mails.add(verifyRegistrantMail, {
    to: { email, country },
    of: partnerId === null ? null : { partnerId, environment },
    data: {
      registrantId: id,
      round,
      mail: mails,
      domain,
      verifyBy: verifyBy.toISOString(),
      held: hold === 'set',
    },
  });
}

/** Makes the registrant's one job run now. */
export async function followNow(uow: UnitOfWork, { id }: { id: string }): Promise<void> {
  const payload = { registrantId: id };
  uow.jobs.add(followRegistrantJob, payload);
  const key = followRegistrantJob.dedupeKey?.(payload);
  if (key !== undefined) await hastenJob(uow, key);
}

/** Returns the dedupe keys of the jobs that follow registrants of a partner's sandbox. */
export async function sandboxRegistrantJobs(sql: Sql, partnerId: string): Promise<string[]> {
  const pending = await store.selectPendingOfSandbox.all(sql, { partnerId, limit: MOST });
  return pending.flatMap(({ id }) => followRegistrantJob.dedupeKey?.({ registrantId: id }) ?? []);
}

/** The maximum number of registrants per sandbox that follow its clock; the others follow real time. */
const MOST = 2_000;

/** Re-encrypts registrants, sealed under a previous SECRETS_KEY, with the current one. */
export function resealRegistrantsOfDomains({
  db,
  secrets,
}: {
  db: Database;
  secrets: SecretBox;
}): Promise<Resealed> {
  return resealColumn<string>(secrets, {
    async read(after = '', limit) {
      const rows = await store.selectSealed.all(db.knex, { after, limit });
      return rows.map(({ id, sealed, ...of }) => ({ id, sealed, context: contextOf(of) }));
    },
    replace: (reseals) =>
      store.updateSealed.run(db.knex, {
        ids: reseals.map(({ id }) => id),
        befores: reseals.map(({ before }) => before),
        afters: reseals.map(({ after }) => after),
      }),
  });
}

const contextOf = ({ environment, domain }: { environment: Environment; domain: string }) =>
  `domain-registrant:${environment}:${domain}`;

/** Digests person and address for comparison. After a change of the service's key, people only verify once more. */
function digestOf(
  { secretsKey }: Pick<Config, 'secretsKey'>,
  { name, organization, email }: Registrant,
): Buffer {
  const person = JSON.stringify([name.trim(), organization, normalizeAddress(email)]);
  return createHmac('sha256', deriveKey(secretsKey, 'registrant-address')).update(person).digest();
}
