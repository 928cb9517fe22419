import { recordAudit } from '../audit/record-audit.ts';
import type { Clock } from '../platform/clock.ts';
import type { Environment } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { invalid } from '../platform/errors.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { insertCredential } from './credential.store.ts';
import { SCOPES, type Scope } from './credential.ts';
import { type IssuedKeyPair, newKeyPair } from './key-pair.ts';

/**
 * Issues a key pair. The secret is in the answer and, sealed, in the database: it can't be read again.
 * @throws not_found (partner), validation_error (no scope)
 */
export async function createCredential(
  { db, clock, secrets }: { db: Database; clock: Clock; secrets: SecretBox },
  actor: string,
  input: { partnerId: string; environment: Environment; scopes: readonly Scope[] },
): Promise<IssuedKeyPair> {
  const { partnerId, environment } = input;
  const scopes = SCOPES.filter((scope) => input.scopes.includes(scope));
  if (scopes.length === 0) {
    throw invalid([{ path: '/scopes', message: `must name some of ${SCOPES.join(', ')}` }]);
  }
  const now = clock.now();
  const { keyId, secret } = newKeyPair(environment);
  const secretCiphertext = secrets.seal(secret, keyId);
  await db.transact(async (tx) => {
    await insertCredential(tx, {
      keyId,
      partnerId,
      environment,
      scopes,
      secretCiphertext,
      createdAt: now,
    });
    const after = { partnerId, environment, scopes };
    await recordAudit(tx, { actor, action: 'credential:create', subject: keyId, after }, now);
  });
  return { keyId, secret, partnerId, environment, scopes };
}
