import { LRUCache } from 'lru-cache';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import type { Logger } from '../platform/logger.ts';
import { onReconnect, type Redis } from '../platform/redis.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { findCredentialRow } from './credential.store.ts';
import { type Credential, canonicalKeyId } from './credential.ts';

/** Credentials by public key id, cached for moments; {@link announceCredentialChange} drops them everywhere. */
export interface CredentialCache {
  find(keyId: string): Promise<Credential | undefined>;
  clear(): void;
}

const MAX_CACHED = 10_000;

function channelOf(config: Config): string {
  return `${config.redisPrefix}:credential-changes`;
}

/**
 * A cache that forgets a credential when any process announces a change of it, forgets everything when
 * the subscription was interrupted (a message may have been missed), and in any case after a few seconds.
 */
export function createCredentialCache(deps: {
  config: Config;
  db: Database;
  secrets: SecretBox;
  subscriber: Redis;
  log: Logger;
}): CredentialCache {
  const { config, db, secrets, subscriber, log } = deps;
  const cache = new LRUCache<string, { credential: Credential | undefined }>({
    max: MAX_CACHED,
    ttl: Math.max(1, config.credentialCacheMs),
  });
  let generation = 0;
  const forget = (keyId: string) => {
    generation += 1;
    if (keyId === '*') cache.clear();
    else cache.delete(keyId);
  };
  subscriber.on('message', (_channel: string, keyId: string) => forget(keyId));
  onReconnect(subscriber, () => forget('*'));
  subscriber
    .subscribe(channelOf(config))
    .catch((error: Error) => log.warn({ err: error }, 'credential changes'));

  return {
    clear: () => forget('*'),
    async find(spelled) {
      const keyId = canonicalKeyId(spelled);
      const cached = cache.get(keyId);
      if (cached) return cached.credential;
      const before = generation;
      const row = await findCredentialRow(db.knex, keyId);
      const credential: Credential | undefined = row && {
        ...row,
        secret: secrets.open(row.secretCiphertext, keyId),
      };
      // A change announced while we were reading: what was read may be old, so it is not kept.
      if (before === generation && config.credentialCacheMs > 0) cache.set(keyId, { credential });
      return credential;
    },
  };
}

/** Tells every API process to read a credential (or, with `*`, all of them) afresh. Call it after the commit. */
export async function announceCredentialChange(
  { redis, config }: { redis: Redis; config: Config },
  keyId: string,
): Promise<void> {
  // Away: the processes can't check nonces either, and clear their caches when they reconnect.
  await redis.publish(channelOf(config), keyId).catch(() => {});
}
