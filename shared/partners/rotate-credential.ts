import { recordAudit } from '../audit/record-audit.ts';
import { addMs, type Clock, HOUR } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { conflict, fail } from '../platform/errors.ts';
import type { Redis } from '../platform/redis.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { insertCredential, lockCredential, setExpiry } from './credential.store.ts';
import { canonicalKeyId } from './credential.ts';
import { publishCredentialChange } from './credential-cache.ts';
import { type IssuedKeyPair, newKeyPair } from './key-pair.ts';

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

  const rotation = await deps.db.transact(async (tx) => {
    const old = await lockCredential(tx, oldKeyId);
    if (!old) throw fail('not_found', { message: `There is no credential ${oldKeyId}.` });
    if (old.status !== 'active' || old.expiresAt) {
      const why = old.status === 'revoked' ? 'was revoked' : 'is in rotation already';
      throw conflict('invalid_state', `The credential ${oldKeyId} ${why}.`);
    }
    const { partnerId, environment, scopes } = old;
    const { keyId, secret } = newKeyPair(environment);
    const secretCiphertext = deps.secrets.seal(secret, keyId);
    await insertCredential(tx, {
      keyId,
      partnerId,
      environment,
      scopes,
      secretCiphertext,
      createdAt: now,
    });
    await setExpiry(tx, oldKeyId, expiresAt);
    const after = { expiresAt, successor: keyId };
    await recordAudit(
      tx,
      { actor, action: 'credential:rotate', subject: oldKeyId, before: { expiresAt: null }, after },
      now,
    );
    return { keyId, secret, partnerId, environment, scopes };
  });
  await publishCredentialChange(deps, oldKeyId);
  return { ...rotation, previous: { keyId: oldKeyId, expiresAt } };
}
