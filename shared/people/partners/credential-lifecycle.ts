import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, type Clock, DAY, HOUR } from '../../platform/clock.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import { type Resealed, resealColumn, type SecretBox } from '../../platform/crypto/secrets.ts';
import { conflict, fail, invalid } from '../../platform/errors.ts';
import { plainLine } from '../../platform/plain-line.ts';
import type { Redis } from '../../platform/redis/redis.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { parseNetworks } from './allowed-addresses.ts';
import {
  countActive,
  lockKeys,
  replaceSecrets,
  type StoredCredential,
  selectCredentialForUpdate,
  selectSecrets,
  updateReplaced,
  updateRevoked,
  updateTerms,
  writeCredential,
} from './credential.store.ts';
import {
  canonicalKeyId,
  type IssuedKeyPair,
  type KeyTerms,
  MAX_KEY_NAME,
  MAX_KEYS,
  newKeyPair,
  SCOPES,
  type Scope,
} from './credential.ts';
import { publishCredentialChange } from './credential-cache.ts';
import { selectPartner } from './partner.store.ts';

/** The terms of a requested key. Terms left out are unrestricted. */
export interface KeyRequest {
  partnerId: string;
  environment: Environment;
  scopes: readonly Scope[];
  name?: string | undefined;
  /** The addresses and networks that the key may be used from. */
  allowedIps?: readonly string[] | undefined;
  /** How many days the key is valid. */
  expiresInDays?: number | undefined;
}

/**
 * Issues a key pair. The secret is in the response and, sealed, in the database. It cannot be read again.
 * @throws not_found (partner), validation_error (scopes, networks), conflict (too many keys, or LIVE and the partner
 *   is not approved)
 */
export async function createCredential(
  { db, secrets }: { db: Database; secrets: SecretBox },
  actor: string,
  request: KeyRequest,
): Promise<IssuedKeyPair> {
  return db.transact((uow) => issueCredential(uow, { secrets }, actor, request));
}

/** Like {@link createCredential}, within the caller's transaction. */
export async function issueCredential(
  uow: UnitOfWork,
  { secrets }: { secrets: SecretBox },
  actor: string,
  { partnerId, environment, expiresInDays, ...given }: KeyRequest,
): Promise<IssuedKeyPair> {
  const expiresAt = expiresInDays === undefined ? null : addMs(uow.now, expiresInDays * DAY);
  const terms = { partnerId, environment, ...changeableTerms(given), expiresAt };
  const issued = await issueKeyPair(uow, secrets, terms);
  const subject = issued.keyId;
  await recordAudit(uow, { actor, action: 'credential:create', subject, after: terms });
  return issued;
}

/** Returns the terms of a key that can be changed later, in their stored form. @throws validation_error */
function changeableTerms(given: {
  scopes: readonly Scope[];
  name?: string | undefined;
  allowedIps?: readonly string[] | undefined;
}): { scopes: Scope[]; name: string | null; allowedIps: string[] | null } {
  const scopes = SCOPES.filter((scope) => given.scopes.includes(scope));
  if (scopes.length === 0) {
    throw invalid([{ path: '/scopes', message: `must name some of ${SCOPES.join(', ')}` }]);
  }
  const name = plainLine(given.name ?? '', MAX_KEY_NAME);
  return { scopes, name: name || null, allowedIps: parseNetworks(given.allowedIps ?? []) };
}

/** Creates a key pair and stores it with its secret sealed. The key `ending` no longer counts toward the limit. */
async function issueKeyPair(
  uow: UnitOfWork,
  secrets: SecretBox,
  terms: KeyTerms,
  ending: string | null = null,
): Promise<IssuedKeyPair> {
  await assertApproved(uow, terms);
  await assertKeyLeft(uow, terms, ending);
  const { keyId, secret } = newKeyPair(terms.environment);
  const secretCiphertext = secrets.seal(secret, keyId);
  await writeCredential(uow.sql, { ...terms, keyId, secretCiphertext, createdAt: uow.now });
  return { ...terms, keyId, secret };
}

/** Checks that a partner may have LIVE keys. An unknown partner fails later, when its key is written. */
async function assertApproved(
  uow: UnitOfWork,
  { partnerId, environment }: { partnerId: string; environment: Environment },
): Promise<void> {
  if (environment !== 'LIVE') return;
  const partner = await selectPartner.first(uow.sql, { id: partnerId });
  if (partner?.liveApprovedAt !== null) return;
  throw conflict('invalid_state', 'LIVE keys need an approved partner. Approve it first.');
}

/** @throws conflict (invalid_state) */
async function assertKeyLeft(
  { sql, now }: UnitOfWork,
  { partnerId, environment }: KeyTerms,
  ending: string | null,
): Promise<void> {
  await lockKeys.run(sql, { partnerId });
  const { count } = await countActive.one(sql, { partnerId, environment, ending, now });
  if (count < MAX_KEYS) return;
  throw conflict(
    'invalid_state',
    `A partner has at most ${MAX_KEYS} active keys in ${environment}. Revoke one that you don’t need, or rotate one without an overlap.`,
  );
}

/**
 * Changes the name, scopes and networks of a key. Fields left out stay. All API processes are notified at once.
 * @throws not_found, validation_error, conflict (`invalid_state`: revoked)
 */
export async function changeCredential(
  deps: { db: Database; redis: Redis; config: Config },
  actor: string,
  { keyId: spelledKeyId, ...changes }: { keyId: string } & Partial<Omit<KeyRequest, 'partnerId'>>,
): Promise<StoredCredential> {
  const keyId = canonicalKeyId(spelledKeyId);
  const changed = await deps.db.transact(async (uow) => {
    const old = await selectCredentialForUpdate.first(uow.sql, { keyId });
    if (!old) throw noCredential(keyId);
    if (old.status === 'revoked') {
      throw conflict('invalid_state', `The credential ${keyId} was revoked.`);
    }
    const { scopes, name, allowedIps } = old;
    const before = { scopes, name, allowedIps };
    const after = changeableTerms({
      scopes: changes.scopes ?? scopes,
      name: changes.name ?? name ?? undefined,
      allowedIps: changes.allowedIps ?? allowedIps ?? undefined,
    });
    await updateTerms.send(uow.pipeline, { keyId, ...after });
    await recordAudit(uow, { actor, action: 'credential:change', subject: keyId, before, after });
    return { ...old, ...after };
  });
  await publishCredentialChange(deps, keyId);
  return changed;
}

export const DEFAULT_OVERLAP_HOURS = 24;

/** The new key pair, and when the old one expires. */
export interface Rotation extends IssuedKeyPair {
  previous: { keyId: string; expiresAt: Date };
}

/**
 * Issues a new key pair with the terms and the original lifetime of the old one. The old one stays valid for the
 * overlap, or until its own expiry if that is sooner.
 * @throws not_found, conflict (`invalid_state`: revoked, expired, or already rotated)
 */
export async function rotateCredential(
  deps: { db: Database; clock: Clock; secrets: SecretBox; redis: Redis; config: Config },
  actor: string,
  input: { keyId: string; overlapHours?: number | undefined },
): Promise<Rotation> {
  const oldKeyId = canonicalKeyId(input.keyId);
  const overlapMs = (input.overlapHours ?? DEFAULT_OVERLAP_HOURS) * HOUR;

  const rotation = await deps.db.transact(async (uow) => {
    const old = await selectCredentialForUpdate.first(uow.sql, { keyId: oldKeyId });
    if (!old) throw noCredential(oldKeyId);
    assertRotatable(old, uow.now);
    const { partnerId, environment, scopes, name, allowedIps } = old;
    const expiresAt =
      old.expiresAt && addMs(uow.now, old.expiresAt.getTime() - old.createdAt.getTime());
    const terms = { partnerId, environment, scopes, name, allowedIps, expiresAt };
    const ending = overlapMs === 0 ? oldKeyId : null;
    const issued = await issueKeyPair(uow, deps.secrets, terms, ending);
    const overlapEnd = addMs(uow.now, overlapMs);
    const oldEnd = old.expiresAt && old.expiresAt < overlapEnd ? old.expiresAt : overlapEnd;
    const replacedBy = issued.keyId;
    await updateReplaced.send(uow.pipeline, { keyId: oldKeyId, expiresAt: oldEnd, replacedBy });
    await recordAudit(uow, {
      actor,
      action: 'credential:rotate',
      subject: oldKeyId,
      before: { expiresAt: old.expiresAt },
      after: { expiresAt: oldEnd, successor: replacedBy },
    });
    return { ...issued, previous: { keyId: oldKeyId, expiresAt: oldEnd } };
  });
  await publishCredentialChange(deps, oldKeyId);
  return rotation;
}

/** @throws conflict */
function assertRotatable(
  { keyId, status, expiresAt, replacedBy }: StoredCredential,
  now: Date,
): void {
  const expired = expiresAt !== null && expiresAt <= now;
  if (status === 'active' && !expired && replacedBy === null) return;
  const why =
    status === 'revoked' ? 'was revoked' : expired ? 'has expired' : 'is in rotation already';
  throw conflict('invalid_state', `The credential ${keyId} ${why}.`);
}

function noCredential(keyId: string) {
  return fail('not_found', { message: `There is no credential ${keyId}.` });
}

/**
 * Revokes a credential permanently. All API processes are notified at once; one that cannot be reached drops its
 * copy within `credentialCacheMs`. Revoking twice keeps the first time.
 * @throws not_found
 */
export async function revokeCredential(
  deps: { db: Database; clock: Clock; redis: Redis; config: Config },
  actor: string,
  spelledKeyId: string,
): Promise<StoredCredential & { revokedAt: Date }> {
  const now = deps.clock.now();
  const keyId = canonicalKeyId(spelledKeyId);
  const revoked = await deps.db.transact(async (uow) => {
    const found = await selectCredentialForUpdate.first(uow.sql, { keyId });
    if (!found) throw noCredential(keyId);
    if (found.status === 'revoked') return { ...found, revokedAt: found.revokedAt ?? now };
    await updateRevoked.send(uow.pipeline, { keyId, now });
    await recordAudit(uow, {
      actor,
      action: 'credential:revoke',
      subject: keyId,
      before: { status: found.status, expiresAt: found.expiresAt },
      after: { status: 'revoked' },
    });
    return { ...found, status: 'revoked' as const, revokedAt: now };
  });
  await publishCredentialChange(deps, keyId);
  return revoked;
}

/** Reseals the secrets of all key pairs with the current key. Safe to run concurrently, and during rotations. */
export async function resealCredentials({
  db,
  secrets,
}: {
  db: Database;
  secrets: SecretBox;
}): Promise<Resealed> {
  return resealColumn<string>(secrets, {
    async read(afterId = '', limit) {
      const rows = await selectSecrets.all(db.knex, { afterKeyId: afterId, limit });
      return rows.map(({ keyId, secret }) => ({ id: keyId, sealed: secret, context: keyId }));
    },
    replace: (reseals) => replaceSecrets(db.knex, reseals),
  });
}
