import type { Database } from '../../delivery/unit-of-work/database.ts';
import type { UnitOfWork } from '../../delivery/unit-of-work/unit-of-work.ts';
import { addMs, type Clock, HOUR } from '../../platform/clock.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import { type Resealed, resealColumn, type SecretBox } from '../../platform/crypto/secrets.ts';
import { conflict, fail, invalid } from '../../platform/errors.ts';
import type { Redis } from '../../platform/redis/redis.ts';
import { recordAudit } from '../audit/audit-log.ts';
import {
  replaceSecrets,
  type StoredCredential,
  selectCredentialForUpdate,
  selectSecrets,
  updateExpiry,
  updateRevoked,
  writeCredential,
} from './credential.store.ts';
import {
  canonicalKeyId,
  type IssuedKeyPair,
  newKeyPair,
  SCOPES,
  type Scope,
} from './credential.ts';
import { publishCredentialChange } from './credential-cache.ts';
import { selectPartner } from './partner.store.ts';

/**
 * Issues a key pair. The secret is in the answer and, sealed, in the database: it can't be read again.
 * @throws not_found (partner), validation_error (no scope), conflict (LIVE, and the partner is not approved)
 */
export async function createCredential(
  { db, secrets }: { db: Database; secrets: SecretBox },
  actor: string,
  input: { partnerId: string; environment: Environment; scopes: readonly Scope[] },
): Promise<IssuedKeyPair> {
  const { partnerId, environment } = input;
  const scopes = SCOPES.filter((scope) => input.scopes.includes(scope));
  if (scopes.length === 0) {
    throw invalid([{ path: '/scopes', message: `must name some of ${SCOPES.join(', ')}` }]);
  }
  const request = { partnerId, environment, scopes };
  return db.transact((uow) => issueCredential(uow, { secrets }, actor, request));
}

/** The same, in the transaction that needs it. @throws not_found (partner), conflict (LIVE without approval) */
export async function issueCredential(
  uow: UnitOfWork,
  { secrets }: { secrets: SecretBox },
  actor: string,
  after: { partnerId: string; environment: Environment; scopes: readonly Scope[] },
): Promise<IssuedKeyPair> {
  const issued = await issueKeyPair(uow, secrets, after);
  const subject = issued.keyId;
  await recordAudit(uow, { actor, action: 'credential:create', subject, after });
  return issued;
}

/** Makes a key pair and stores it, its secret sealed. */
async function issueKeyPair(
  uow: UnitOfWork,
  secrets: SecretBox,
  owner: Omit<IssuedKeyPair, 'keyId' | 'secret'>,
): Promise<IssuedKeyPair> {
  await assertApproved(uow, owner);
  const { keyId, secret } = newKeyPair(owner.environment);
  const secretCiphertext = secrets.seal(secret, keyId);
  await writeCredential(uow.sql, { ...owner, keyId, secretCiphertext, createdAt: uow.now });
  return { ...owner, keyId, secret };
}

/** A partner that is not there is refused when its key is written. */
async function assertApproved(
  uow: UnitOfWork,
  { partnerId, environment }: { partnerId: string; environment: Environment },
): Promise<void> {
  if (environment !== 'LIVE') return;
  const partner = await selectPartner.first(uow.sql, { id: partnerId });
  if (partner?.liveApprovedAt !== null) return;
  throw conflict('invalid_state', 'LIVE keys need an approved partner. Approve it first.');
}

export const DEFAULT_OVERLAP_HOURS = 24;

/** The new pair, and until when the old one is good beside it. */
export interface Rotation extends IssuedKeyPair {
  previous: { keyId: string; expiresAt: Date };
}

/**
 * Issues a second pair with the same partner, environment and scopes; the old one stays good for the overlap.
 * @throws not_found, conflict (`invalid_state`: revoked, expired, or in rotation already)
 */
export async function rotateCredential(
  deps: { db: Database; clock: Clock; secrets: SecretBox; redis: Redis; config: Config },
  actor: string,
  input: { keyId: string; overlapHours?: number | undefined },
): Promise<Rotation> {
  const now = deps.clock.now();
  const oldKeyId = canonicalKeyId(input.keyId);
  const expiresAt = addMs(now, (input.overlapHours ?? DEFAULT_OVERLAP_HOURS) * HOUR);

  const rotation = await deps.db.transact(async (uow) => {
    const old = await selectCredentialForUpdate.first(uow.sql, { keyId: oldKeyId });
    if (!old) throw fail('not_found', { message: `There is no credential ${oldKeyId}.` });
    if (old.status !== 'active' || old.expiresAt) {
      const why = old.status === 'revoked' ? 'was revoked' : 'is in rotation already';
      throw conflict('invalid_state', `The credential ${oldKeyId} ${why}.`);
    }
    const { partnerId, environment, scopes } = old;
    const owner = { partnerId, environment, scopes };
    const issued = await issueKeyPair(uow, deps.secrets, owner);
    await updateExpiry.run(uow.sql, { keyId: oldKeyId, expiresAt });
    const after = { expiresAt, successor: issued.keyId };
    await recordAudit(uow, {
      actor,
      action: 'credential:rotate',
      subject: oldKeyId,
      before: { expiresAt: null },
      after,
    });
    return issued;
  });
  await publishCredentialChange(deps, oldKeyId);
  return { ...rotation, previous: { keyId: oldKeyId, expiresAt } };
}

/**
 * Ends a credential for good. All API processes hear of it at once; one that can't be reached forgets
 * its copy within CREDENTIAL_CACHE_MS. Revoking twice keeps the first time.
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
    if (!found) throw fail('not_found', { message: `There is no credential ${keyId}.` });
    if (found.status === 'revoked') return { ...found, revokedAt: found.revokedAt ?? now };
    await updateRevoked.run(uow.sql, { keyId, now });
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

/** Seals the secrets of all key pairs with the present key. May run twice at once, and beside rotations. */
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
