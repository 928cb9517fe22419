import { isOnLegalHold } from '../../market/legal-holds/read-legal-holds.ts';
import type { JobReference } from '../../messaging/jobs/job.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { inTimeOf } from '../../messaging/unit-of-work/partner-time.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import { addMs, type Clock, DAY, HOUR, MINUTE, realNow } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import { idPage } from '../../platform/database/id-page.ts';
import { conflict } from '../../platform/errors.ts';
import { idOf, type ListPage, type Page, readPage } from '../../platform/page.ts';
import { recordFacts } from '../owned-domains/manage-owned-domains.ts';
import { type Registrars, waitsForLegalHold } from '../registrar/registrar.ts';
import { followRegistrantJob } from './domain-registrant.jobs.ts';
import * as store from './domain-registrant.store.ts';
import { type DomainRegistrant, isToBeHeld, type RegistrantStep } from './domain-registrant.ts';
import {
  followNow,
  forgetRegistrant,
  openRegistrant,
  writeToRegistrant,
} from './registered-for.ts';
import type { VerificationLink } from './verification-link.ts';

/** Returns the registrant of a link; undefined once the registrant or the address has changed. */
export async function readVerification(
  { db }: { db: Database },
  { registrantId, round }: VerificationLink,
): Promise<DomainRegistrant | undefined> {
  const found = await store.selectRegistrantById.first(db.knex, { id: registrantId });
  return found?.round === round ? found : undefined;
}

/** Returns unverified registrants with the same person and address as this one, with their orders. */
export function listSameAddress(
  { db }: { db: Database },
  id: string,
): Promise<{ id: string; orderId: string | null }[]> {
  return store.selectSameAddress.all(db.knex, { id });
}

/**
 * Marks a registrant's address as verified and restores a domain that is out of the DNS for it. The order must be
 * locked. Returns whether the address was unverified before.
 */
export async function markVerified(uow: UnitOfWork, id: string): Promise<boolean> {
  const found = await store.selectRegistrantForUpdate.first(uow.sql, { id });
  if (found?.verification !== 'pending') return false;
  await store.updateVerified.run(uow.sql, { id, now: uow.now });
  if (found.hold !== 'none') await followNow(uow, found);
  return true;
}

/** How long to wait before the mail can be sent again. */
const RESEND_MS = 10 * MINUTE;

/** Sends the verification mail again. @throws conflict (invalid_state): already verified, or a mail was just sent */
export async function writeAgain(
  uow: UnitOfWork,
  deps: { secrets: SecretBox },
  id: string,
): Promise<void> {
  const found = await store.selectRegistrantForUpdate.first(uow.sql, { id });
  if (found?.verification !== 'pending') {
    throw conflict('invalid_state', 'The registrant’s email address is verified.');
  }
  if (found.mailedAt && addMs(found.mailedAt, RESEND_MS) > uow.now) {
    throw conflict(
      'invalid_state',
      'We just emailed the registrant. Wait ten minutes before you send another email.',
    );
  }
  await writeToRegistrant(uow, found, openRegistrant(deps, found));
}

/** How long before the end of a round the reminders are due: on day 5 and on day 12. */
const REMINDERS_MS = [10 * DAY, 3 * DAY] as const;
/** How often to retry a domain on legal hold, which nobody may change. */
const LEGAL_HOLD_CHECK_MS = 10 * MINUTE;
/** How long to wait after the registry refuses; shorter for a lift, since the domain is unreachable meanwhile. */
const REFUSED_MS = { hold: DAY, lift: HOUR } as const;

/** Lists LIVE domains that a registry refused to take out of the DNS or restore, for staff. */
export function listRefusedHolds(
  { db }: { db: Database },
  page: ListPage,
): Promise<Page<store.RefusedHold>> {
  const read = (limit: number) =>
    store.selectRefusedHolds[page.sort].all(db.knex, idPage('registrant', page, limit));
  return readPage(page.limit, read, idOf);
}

interface Scope {
  db: Database;
  clock: Clock;
  secrets: SecretBox;
  registrars: Registrars;
}

/** What is left to do for a registrant: nothing, or run again at an instant of real time. */
export type Followed = { until: Date } | 'over';

/** Locks a registrant's order and reports registrant steps to its partner. */
export interface OrderOfRegistrant {
  /** Locks the order; called before the registrant is locked. */
  lock(uow: UnitOfWork, orderId: string): Promise<unknown>;
  tell(uow: UnitOfWork, orderId: string, step: RegistrantStep): Promise<void>;
}

/**
 * Does what is due for a registrant: sends a reminder, or asks the registry to take the domain out of the DNS or
 * restore it. Decides from the registrant's current state, so it is safe to interrupt and repeat.
 */
export async function followRegistrant(
  scope: Scope,
  job: JobReference,
  registrantId: string,
  orders: OrderOfRegistrant,
): Promise<Followed> {
  const found = await store.selectRegistrantById.first(scope.db.knex, { id: registrantId });
  if (!found) return 'over';
  const { partnerId, environment } = found;
  const own = partnerId === null ? scope : await inTimeOf(scope, { partnerId, environment });
  const toReal = (at: Date) => addMs(at, realNow(own.clock).getTime() - own.clock.now().getTime());

  const held = isToBeHeld(found, own.clock.now());
  if (held !== (found.hold === 'set') || found.hold === 'asked') {
    return setHold(own, found, held, orders);
  }
  return own.db.transact(async (uow) => {
    const now = await store.selectRegistrantForUpdate.first(uow.sql, { id: registrantId });
    if (now && isToBeHeld(now, uow.now) !== (now.hold === 'set')) return { until: uow.realNow };
    // A domain out of the DNS waits until the registrant opens the link, which starts the job again.
    if (!now || now.verification === 'verified' || now.hold === 'set') {
      uow.jobs.finish(job, followRegistrantJob.dedupeKey?.({ registrantId }));
      return 'over';
    }
    const steps = [...REMINDERS_MS, 0].map((ms) => addMs(now.verifyBy, -ms));
    const last = now.mailedAt ?? now.registeredAt;
    const isDue = steps.slice(0, -1).some((at) => at <= uow.now && at > last);
    if (isDue) await writeToRegistrant(uow, now, openRegistrant(scope, now));
    return { until: toReal(steps.find((at) => at > uow.now) ?? uow.now) };
  });
}

/**
 * Asks the registry to restore a domain that is out of the DNS for a registrant who was forgotten, unless it is out of it
 * for the next one. Safe to interrupt and repeat.
 * @throws Error when the registry refuses: the job's last failure is what tells staff, as no row is left that could
 */
export async function releaseHold(
  { db, clock, registrars }: Omit<Scope, 'secrets'>,
  of: { registrantId: string; environment: Environment; domain: string },
): Promise<Followed> {
  const { registrantId, environment, domain } = of;
  const next = await store.selectRegistrant.first(db.knex, { environment, domain });
  if (next && next.hold !== 'none') return 'over';
  const registrar = registrars(environment);
  const answer = await registrar.change({
    clientReference: `${registrantId}-release`,
    domain,
    change: { kind: 'hold', enabled: false },
  });
  if (waitsForLegalHold(answer)) return { until: addMs(realNow(clock), LEGAL_HOLD_CHECK_MS) };
  if (answer.status === 'refused') {
    if ((await registrar.inspect([domain])).length === 0) return 'over';
    throw new Error(`the registry does not restore ${domain}: ${answer.reason}`);
  }
  await db.transact(async (uow) => {
    await recordFacts(uow, environment === 'LIVE' ? [answer.facts] : []);
    await recordAudit(uow, {
      actor: 'worker',
      action: 'registrant:enforce-verification',
      subject: `${environment}:${domain}`,
      after: { registrant: registrantId, held: false, result: 'done' },
    });
  });
  return 'over';
}

/** Asks the registry to take the domain out of the DNS, or to restore it. */
async function setHold(
  scope: Scope,
  found: DomainRegistrant,
  enabled: boolean,
  orders: OrderOfRegistrant,
): Promise<Followed> {
  const { db, clock, registrars } = scope;
  const { id, domain, environment, round } = found;
  if (environment === 'LIVE' && (await isOnLegalHold(db.knex, domain))) {
    return { until: addMs(realNow(clock), LEGAL_HOLD_CHECK_MS) };
  }
  // Recorded before the request, so that a verification meanwhile knows that there may be a hold to lift.
  const isNoted = await db.transact(async (uow) => {
    const now = await store.selectRegistrantForUpdate.first(uow.sql, { id });
    if (now?.round !== round || isToBeHeld(now, uow.now) !== enabled) return false;
    if (enabled) await store.updateHold.run(uow.sql, { id, hold: 'asked', now: uow.now });
    return true;
  });
  if (!isNoted) return { until: realNow(clock) };
  const registrar = registrars(environment);
  const answer = await registrar.change({
    clientReference: `${id}-${round}-${enabled ? 'hold' : 'lift'}`,
    domain,
    change: { kind: 'hold', enabled },
  });
  // A legal hold was placed meanwhile, or was lifted but is not yet removed at the registry.
  if (waitsForLegalHold(answer)) {
    return { until: addMs(realNow(clock), LEGAL_HOLD_CHECK_MS) };
  }
  const isGone = answer.status === 'refused' && (await registrar.inspect([domain])).length === 0;
  return db.transact(async (uow) => {
    if (found.orderId !== null) await orders.lock(uow, found.orderId);
    const now = await store.selectRegistrantForUpdate.first(uow.sql, { id });
    if (now?.round !== round) return { until: uow.realNow };
    await recordAudit(uow, {
      actor: 'worker',
      action: 'registrant:enforce-verification',
      subject: `${environment}:${domain}`,
      after: {
        registrant: id,
        held: enabled,
        result: answer.status === 'done' ? 'done' : answer.reason,
      },
    });
    if (isGone) await forgetRegistrant(uow, now);
    if (answer.status === 'refused') {
      if (isGone) return { until: uow.realNow };
      await store.updateHoldRefused.run(uow.sql, { id, refusal: answer.reason, now: uow.now });
      return { until: addMs(uow.realNow, REFUSED_MS[enabled ? 'hold' : 'lift']) };
    }
    await recordFacts(uow, environment === 'LIVE' ? [answer.facts] : []);
    await store.updateHold.run(uow.sql, { id, hold: enabled ? 'set' : 'none', now: uow.now });
    if (enabled) await writeToRegistrant(uow, { ...now, hold: 'set' }, openRegistrant(scope, now));
    if (found.orderId !== null) {
      await orders.tell(uow, found.orderId, enabled ? 'registrant.held' : 'registrant.released');
    }
    return { until: uow.realNow };
  });
}
