import { lockListingUntil } from '../../market/inventory/listing-registrations.ts';
import { onLegalHold } from '../../market/legal-holds/legal-hold.ts';
import { isOnLegalHold, lockHeldDomains } from '../../market/legal-holds/read-legal-holds.ts';
import { parseMarketDomain } from '../../market/names/domain-name.ts';
import { listTransferPolicies } from '../../market/tlds/transfer-policies.ts';
import { type TransferPolicies, transferPolicyOf } from '../../market/tlds/transfer-policy.ts';
import type { JobReference } from '../../messaging/jobs/job.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import { recordHits, screenParties } from '../../people/screening/screen-parties.ts';
import { lockAccount } from '../../people/users/user-account.ts';
import { addMs, type Clock, DAY, MINUTE } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { type Resealed, resealColumn, type SecretBox } from '../../platform/crypto/secrets.ts';
import { conflict, fail } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import {
  findOwnedDomains,
  lockOwnedDomain,
  lockOwnedDomains,
  recordFacts,
} from '../owned-domains/manage-owned-domains.ts';
import { OWNERS_ENVIRONMENT, type OwnedDomain, whyGone } from '../owned-domains/owned-domain.ts';
import type { Registrant } from '../registrants/registrant.ts';
import { partiesOfRegistrant } from '../registrants/registrant-parties.ts';
import { type Registrars, type Registration, waitsForLegalHold } from '../registrar/registrar.ts';
import { lockedUntil } from '../registrar/transfer-locks.ts';
import { changeRegistrantJob } from './domain-registrant.jobs.ts';
import { registrantChangedMail } from './domain-registrant.mails.ts';
import { isMaterialChange } from './domain-registrant.ts';
import {
  correctRegistered,
  findChangesOf,
  findRegistrant,
  openRegistrant,
  recordRegistered,
} from './registered-for.ts';
import * as store from './registrant-change.store.ts';
import type { RegistrantChange } from './registrant-change.ts';

interface Deps {
  db: Database;
  config: Pick<Config, 'secretsKey'>;
  secrets: SecretBox;
}

/** Returns when the transfer lock after a registrant change ends for a LIVE domain (A-labels); null if none. */
export async function registrantLockedUntil(
  { db }: { db: Database },
  domain: string,
  now: Date,
): Promise<Date | null> {
  return (await locksOf({ db }, [domain]))(domain, now);
}

/** Adds the locks caused by registrant changes to LIVE registrations. */
export async function withRegistrantLocks(
  { db }: { db: Database },
  registrations: readonly Registration[],
  now: Date,
): Promise<Registration[]> {
  const lockOf = await locksOf(
    { db },
    registrations.map(({ domain }) => domain),
  );
  return registrations.map((each) => {
    const { domain, lockedUntil, later } = each;
    return {
      ...each,
      lockedUntil: laterOf(lockedUntil, lockOf(domain, now)),
      later: later && {
        ...later,
        lockedUntil: laterOf(later.lockedUntil, lockOf(domain, later.from)),
      },
    };
  });
}

function laterOf(one: Date | null, other: Date | null): Date | null {
  return one && other ? (one > other ? one : other) : (one ?? other);
}

/** Returns a function giving the end of each LIVE domain's registrant-change lock by the rules at an instant. */
async function locksOf(
  { db }: { db: Database },
  domains: readonly string[],
): Promise<(domain: string, instant: Date) => Date | null> {
  const changes = await findChangesOf(db.knex, { environment: OWNERS_ENVIRONMENT, domains });
  if (changes.size === 0) return () => null;
  const policies = await listTransferPolicies({ db });
  return (domain, instant) => {
    const changedAt = changes.get(domain);
    const days = changedAt ? lockDaysIn(policies, domain, instant) : 0;
    return lockedUntil([[changedAt ?? null, days]], instant);
  };
}

/** Returns for how many days a domain's TLD locks it after a registrant change, by the rules at `now`. */
export async function lockDaysOf(
  { db }: { db: Database },
  domain: string,
  now: Date,
): Promise<number> {
  return lockDaysIn(await listTransferPolicies({ db }), domain, now);
}

function lockDaysIn(policies: TransferPolicies, domain: string, now: Date): number {
  return transferPolicyOf(policies, parseMarketDomain(domain).tld, now).registrantChangeLockDays;
}

/** Returns the last registrant change that the owner of a domain requested. */
export function findLastChange(
  { db }: { db: Database },
  of: { domain: string; userId: string },
): Promise<RegistrantChange | undefined> {
  return store.selectLastChange.first(db.knex, of);
}

/**
 * Requests a registrant change for an owner's domain; a job sends it to the registry. If the new registrant may be on
 * a sanctions list, the change is held until two people decide.
 * @throws not_found, conflict (legal_hold; invalid_state: it is sold, returned or disputed, another change is under way,
 *   or nothing changes)
 */
export async function changeRegistrant(
  uow: UnitOfWork,
  { secrets }: Pick<Deps, 'secrets'>,
  { userId, domain, registrant }: { userId: string; domain: string; registrant: Registrant },
): Promise<RegistrantChange['status']> {
  const held = await lockHeldDomains(uow, OWNERS_ENVIRONMENT, [domain]);
  if (held.has(domain)) throw onLegalHold(domain);
  const owned = (await lockOwnedDomains(uow, userId, [domain])).get(domain);
  if (!owned) throw fail('not_found', { message: 'This domain is not in your account.' });
  const found = await findRegistrant(uow.sql, { environment: OWNERS_ENVIRONMENT, domain });
  const before = found && openRegistrant({ secrets }, found);
  const material = isMaterialChange(before, registrant);
  const why = whyNot(owned, material);
  if (why) throw conflict('invalid_state', why);
  if (before && JSON.stringify(before) === JSON.stringify(registrant)) {
    throw conflict('invalid_state', 'The domain already has this registrant, with this data.');
  }
  const id = newId('registrantChange', uow.now);
  const matches = await screenParties(uow.sql, partiesOfRegistrant(registrant));
  const status = matches.length > 0 ? 'held' : 'pending';
  const sealed = secrets.seal(JSON.stringify(registrant), contextOf(id));
  const change = { id, domain, userId, sealed, material, status, now: uow.now } as const;
  if ((await store.insertChange.run(uow.sql, change)) === 0) {
    throw conflict(
      'invalid_state',
      'Another registrant change is in progress. Wait until it finishes.',
    );
  }
  await recordHits(uow, { partnerId: null, registrantChangeId: id }, matches);
  if (status === 'pending') uow.jobs.add(changeRegistrantJob, { changeId: id });
  const after = { change: id, material, status };
  await recordAudit(uow, { actor: userId, action: 'registrant:change', subject: domain, after });
  return status;
}

/** Resumes a held change after two people have released its matches. */
export async function releaseChange(uow: UnitOfWork, id: string): Promise<void> {
  const change = await store.selectChangeForUpdate.first(uow.sql, { id });
  if (change?.status !== 'held') return;
  await store.updateChange.run(uow.sql, { id, status: 'pending', reason: null, now: uow.now });
  uow.jobs.add(changeRegistrantJob, { changeId: id });
}

/** Ends a held change after a staff member has declined one of its matches. */
export async function declineChange(uow: UnitOfWork, id: string): Promise<void> {
  const change = await store.selectChangeForUpdate.first(uow.sql, { id });
  if (change?.status !== 'held') return;
  await store.updateChange.run(uow.sql, { id, status: 'declined', reason: null, now: uow.now });
}

/** Screens the new registrants of the next open changes, by ID, against the lists again; a match holds the change. */
export async function screenChanges(
  { db, secrets }: { db: Database; secrets: SecretBox },
  after: string,
  limit: number,
): Promise<{ screened: number; hits: number; last: string | null }> {
  const changes = await store.selectOpenAfter.all(db.knex, { after, limit });
  let hits = 0;
  for (const { id, sealed } of changes) {
    const registrant: Registrant = JSON.parse(secrets.open(sealed, contextOf(id)));
    hits += await db.transact(async (uow) => {
      const change = await store.selectChangeForUpdate.first(uow.sql, { id });
      if (!change || change.endedAt) return 0;
      const matches = await screenParties(uow.sql, partiesOfRegistrant(registrant));
      const of = { partnerId: null, registrantChangeId: id };
      const found = await recordHits(uow, of, matches);
      const held = { id, status: 'held', reason: null, now: uow.now } as const;
      if (found > 0) await store.updateChange.run(uow.sql, held);
      return found;
    });
  }
  return { screened: changes.length, hits, last: changes.at(-1)?.id ?? null };
}

/** How often to retry a change of a domain on legal hold, which nobody may change. */
const LEGAL_HOLD_CHECK_MS = 10 * MINUTE;

/**
 * Sends a change to the registry and records it: the domain is then registered for the new registrant, and locked
 * against transfers after a material change. Safe to interrupt and repeat. Returns when to run again, or `over`.
 */
export async function carryOutChange(
  { db, clock, config, secrets, registrars }: Deps & { clock: Clock; registrars: Registrars },
  job: JobReference,
  id: string,
): Promise<{ until: Date } | 'over'> {
  const change = await store.selectChange.first(db.knex, { id });
  if (change?.status !== 'pending' || !change.sealed) return 'over';
  const { domain, userId, material } = change;
  if (await isOnLegalHold(db.knex, domain)) {
    return { until: addMs(clock.now(), LEGAL_HOLD_CHECK_MS) };
  }
  const registrant: Registrant = JSON.parse(secrets.open(change.sealed, contextOf(id)));
  const owned = (await findOwnedDomains(db.knex, userId, [domain])).get(domain);
  const why = owned ? whyNot(owned, material) : NOT_THEIRS;
  const answer =
    why === undefined
      ? await registrars(OWNERS_ENVIRONMENT).change({
          clientReference: id,
          domain,
          change: { kind: 'registrant', registrant },
        })
      : ({ status: 'refused', reason: why } as const);
  // A legal hold was placed meanwhile, or was lifted but is not yet removed at the registry.
  if (waitsForLegalHold(answer)) return { until: addMs(clock.now(), LEGAL_HOLD_CHECK_MS) };
  const lockDays = material ? await lockDaysOf({ db }, domain, clock.now()) : 0;
  await db.transact(async (uow) => {
    const isDone = answer.status === 'done';
    const lockedUntil = isDone && lockDays > 0 ? addMs(uow.now, lockDays * DAY) : null;
    const { email } = await lockAccount(uow, userId);
    if (lockedUntil) await lockListingUntil(uow, domain, lockedUntil);
    await lockOwnedDomain(uow, domain);
    const still = await store.selectChangeForUpdate.first(uow.sql, { id });
    uow.jobs.finish(job);
    if (still?.status !== 'pending') return;
    const reason = isDone ? null : answer.reason;
    const status = isDone ? 'done' : 'refused';
    await store.updateChange.run(uow.sql, { id, status, reason, now: uow.now });
    const after = { change: id, result: reason ?? 'done' };
    const entry = { actor: 'worker', action: 'registrant:carry-out', subject: domain, after };
    await recordAudit(uow, entry);
    if (!isDone) return;
    await recordFacts(uow, [answer.facts]);
    const found = await findRegistrant(uow.sql, { environment: OWNERS_ENVIRONMENT, domain });
    if (found && !material) {
      await correctRegistered(uow, { config, secrets }, found, registrant);
      return;
    }
    const former = found && openRegistrant({ secrets }, found);
    const of = { environment: OWNERS_ENVIRONMENT, domain, registrant } as const;
    await recordRegistered(
      uow,
      { config, secrets },
      {
        ...of,
        partnerId: found?.partnerId ?? null,
        orderId: found?.orderId ?? null,
        knownAddresses: [email],
        keepsHold: true,
      },
    );
    tellBoth(uow, { id, domain, lockedUntil }, former, registrant);
  });
  return 'over';
}

const NOT_THEIRS = 'The domain now belongs to someone else.';
const DISPUTED =
  'Its payment is disputed. You can give it to another registrant once the dispute has ended in your favor.';

/** Returns why a domain's owner can no longer change its registrant, in a sentence for them; undefined if they can. */
function whyNot(owned: OwnedDomain, material: boolean): string | undefined {
  const gone = whyGone(owned);
  if (gone) return `${gone} You can no longer change it.`;
  return material && owned.purchaseFault === 'disputed' ? DISPUTED : undefined;
}

function tellBoth(
  uow: UnitOfWork,
  { id: changeId, domain, lockedUntil }: { id: string; domain: string; lockedUntil: Date | null },
  former: Registrant | undefined,
  registrant: Registrant,
): void {
  const until = lockedUntil?.toISOString() ?? null;
  const of = { changeId, domain, at: uow.now.toISOString(), lockedUntil: until };
  const tell = ({ email, country }: Registrant, whose: 'old' | 'new') =>
    uow.mails.add(registrantChangedMail, {
      to: { email, country },
      of: null,
      data: { ...of, whose },
    });
  if (former) tell(former, 'old');
  tell(registrant, 'new');
}

/** Re-encrypts open changes, sealed under a previous SECRETS_KEY, with the current one. */
export function resealChanges({
  db,
  secrets,
}: {
  db: Database;
  secrets: SecretBox;
}): Promise<Resealed> {
  return resealColumn<string>(secrets, {
    async read(after = '', limit) {
      const rows = await store.selectOpenAfter.all(db.knex, { after, limit });
      return rows.map(({ id, sealed }) => ({ id, sealed, context: contextOf(id) }));
    },
    replace: (reseals) =>
      store.updateChangesSealed.run(db.knex, {
        ids: reseals.map(({ id }) => id),
        befores: reseals.map(({ before }) => before),
        afters: reseals.map(({ after }) => after),
      }),
  });
}

const contextOf = (id: string) => `registrant-change:${id}`;
