import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { conflict, fail, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Redis } from '../../platform/redis/redis.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { publishCredentialChange } from './credential-cache.ts';
import {
  insertPartner,
  selectPartnerForUpdate,
  selectStatus,
  selectStatusForShare,
  updateAffiliate,
  updateDeliveryMethod,
  updateLiveApproved,
  updateSecondFactorRequired,
  updateStatus,
} from './partner.store.ts';
import {
  DEFAULT_COMMISSION_BPS,
  type DeliveryMethod,
  type Partner,
  type PartnerStatus,
  type SettlementPeriod,
} from './partner.ts';

export interface NewPartner {
  name: string;
  /** The partner's share of a sale in basis points, 0 to 10,000. */
  commissionBps?: number | undefined;
  settlementPeriod?: SettlementPeriod | undefined;
  /** Whether to link the partner to its own new affiliate account. */
  affiliate?: boolean | undefined;
  /** Whether the partner may have LIVE keys at once, like partners that staff create. Defaults to true. */
  approved?: boolean | undefined;
  /** Whether the partner belongs to the demo marketplace. */
  demo?: boolean | undefined;
}

/** Creates an active partner account without credentials. @throws validation_error */
export function createPartner(
  { db }: { db: Database; clock: Clock },
  actor: string,
  input: NewPartner,
): Promise<Partner> {
  return db.transact((uow) => openPartner(uow, actor, input));
}

/** Like {@link createPartner}, within the caller's transaction. @throws validation_error */
export async function openPartner(
  uow: UnitOfWork,
  actor: string,
  input: NewPartner,
): Promise<Partner> {
  const { now } = uow;
  const name = input.name.trim();
  if (name === '') throw invalid([{ path: '/name', message: 'must not be empty' }]);
  const partner: Partner = {
    id: newId('partner', now),
    name,
    status: 'active',
    commissionBps: input.commissionBps ?? DEFAULT_COMMISSION_BPS,
    settlementPeriod: input.settlementPeriod ?? 'monthly',
    affiliateId: input.affiliate ? newId('affiliate', now) : null,
    createdAt: now,
    liveApprovedAt: input.approved === false ? null : now,
    demo: input.demo ?? false,
  };
  await insertPartner.send(uow.pipeline, partner);
  const { id: subject, createdAt: _at, liveApprovedAt, demo: _demo, ...rest } = partner;
  const after = { ...rest, ...(liveApprovedAt === null && { approved: false }) };
  await recordAudit(uow, { actor, action: 'partner:create', subject, after });
  return partner;
}

interface Deps {
  db: Database;
  clock: Clock;
  redis: Redis;
  config: Config;
}

/** Suspends a partner. Every request with its credentials then fails with `partner_not_active`. @throws not_found */
export function suspendPartner(deps: Deps, actor: string, partnerId: string): Promise<Partner> {
  return setStatus(deps, { actor, action: 'partner:suspend', partnerId, status: 'suspended' });
}

/** Resumes a suspended partner. @throws not_found */
export function resumePartner(deps: Deps, actor: string, partnerId: string): Promise<Partner> {
  return setStatus(deps, { actor, action: 'partner:resume', partnerId, status: 'active' });
}

/** Allows LIVE keys for a partner that signed up by itself. Approving twice changes nothing. @throws not_found */
export async function approvePartner(
  { db }: { db: Database },
  actor: string,
  partnerId: string,
): Promise<Date> {
  return db.transact(async (uow) => {
    const found = await selectPartnerForUpdate.first(uow.sql, { id: partnerId });
    if (!found) throw fail('not_found', { message: `There is no partner ${partnerId}.` });
    if (found.liveApprovedAt) return found.liveApprovedAt;
    await updateLiveApproved.send(uow.pipeline, { id: partnerId, now: uow.now });
    await recordAudit(uow, { actor, action: 'partner:approve', subject: partnerId });
    return uow.now;
  });
}

/**
 * Links a partner to its own affiliate account and returns the account's id. Keeps an account that it already has.
 * @throws not_found
 */
export async function linkAffiliate(deps: Deps, actor: string, partnerId: string): Promise<string> {
  const linked = await deps.db.transact(async (uow) => {
    const found = await selectPartnerForUpdate.first(uow.sql, { id: partnerId });
    if (!found) throw fail('not_found', { message: `There is no partner ${partnerId}.` });
    if (found.affiliateId) return found.affiliateId;
    const affiliateId = newId('affiliate', uow.now);
    await updateAffiliate.send(uow.pipeline, { id: partnerId, affiliateId });
    const after = { affiliateId };
    await recordAudit(uow, { actor, action: 'partner:affiliate', subject: partnerId, after });
    return affiliateId;
  });
  // Cached credentials contain the account's id.
  await publishCredentialChange(deps, '*');
  return linked;
}

/**
 * Sets the default for how a partner's sold domains reach their buyers. Sales whose transfer has started keep their
 * method. @throws not_found
 */
export async function setDeliveryMethod(
  { db }: { db: Database },
  actor: string,
  { partnerId, method }: { partnerId: string; method: DeliveryMethod },
): Promise<void> {
  await db.transact(async (uow) => {
    const set = await updateDeliveryMethod.first(uow.sql, { id: partnerId, method });
    if (!set) throw fail('not_found', { message: `There is no partner ${partnerId}.` });
    const [before, after] = [{ delivery: set.before }, { delivery: method }];
    await recordAudit(uow, {
      actor,
      action: 'partner:delivery',
      subject: partnerId,
      before,
      after,
    });
  });
}

/** Sets the status of a partner. If it is unchanged, records nothing but still announces the change. */
async function setStatus(
  deps: Deps,
  change: { actor: string; action: string; partnerId: string; status: PartnerStatus },
): Promise<Partner> {
  const { actor, action, partnerId, status } = change;
  const partner = await deps.db.transact(async (uow) => {
    const found = await selectPartnerForUpdate.first(uow.sql, { id: partnerId });
    if (!found) throw fail('not_found', { message: `There is no partner ${partnerId}.` });
    if (found.status !== status) {
      await updateStatus.send(uow.pipeline, { id: partnerId, status });
      await recordAudit(uow, {
        actor,
        action,
        subject: partnerId,
        before: { status: found.status },
        after: { status },
      });
    }
    return { ...found, status };
  });
  // Each cached credential contains its partner's status.
  await publishCredentialChange(deps, '*');
  return partner;
}

/** Returns whether a partner may sell: it exists and is not suspended. */
export async function isActivePartner(sql: Sql, partnerId: string): Promise<boolean> {
  const found = await selectStatus.first(sql, { id: partnerId });
  return found?.status === 'active';
}

/**
 * Checks that a partner may be paid, and keeps its status from changing until the transaction ends.
 * @throws conflict (`partner_suspended`)
 */
export async function assertPayable(uow: UnitOfWork, partnerId: string): Promise<void> {
  const found = await selectStatusForShare.first(uow.sql, { id: partnerId });
  if (found?.status !== 'suspended') return;
  throw conflict(
    'partner_suspended',
    'The partner is suspended. Its payouts are held until it is resumed.',
  );
}

/** Sets whether members need a second factor on the partner's site. @throws not_found */
export async function requireSecondFactor(
  { db }: { db: Database },
  actor: string,
  { partnerId, required }: { partnerId: string; required: boolean },
): Promise<void> {
  await db.transact(async (uow) => {
    if ((await updateSecondFactorRequired.run(uow.sql, { id: partnerId, required })) === 0) {
      throw fail('not_found', { message: 'No partner has this ID.' });
    }
    const after = { required };
    const entry = { actor, action: 'partner:require-second-factor', subject: partnerId, after };
    await recordAudit(uow, entry);
  });
}
