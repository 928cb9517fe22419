import { recordAudit } from '../audit/record-audit.ts';
import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { fail } from '../platform/errors.ts';
import type { Redis } from '../platform/redis.ts';
import { lockCredential, markRevoked, type StoredCredential } from './credential.store.ts';
import { canonicalKeyId } from './credential.ts';
import { publishCredentialChange } from './credential-cache.ts';

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
  const revoked = await deps.db.transact(async (tx) => {
    const found = await lockCredential(tx, keyId);
    if (!found) throw fail('not_found', { message: `There is no credential ${keyId}.` });
    if (found.status === 'revoked') return { ...found, revokedAt: found.revokedAt ?? now };
    await markRevoked(tx, keyId, now);
    await recordAudit(
      tx,
      {
        actor,
        action: 'credential:revoke',
        subject: keyId,
        before: { status: found.status, expiresAt: found.expiresAt },
        after: { status: 'revoked' },
      },
      now,
    );
    return { ...found, status: 'revoked' as const, revokedAt: now };
  });
  await publishCredentialChange(deps, keyId);
  return revoked;
}
