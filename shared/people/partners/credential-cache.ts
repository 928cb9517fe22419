import { LRUCache } from 'lru-cache';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { batchCalls } from '../../platform/concurrency/call-batcher.ts';
import { allowsDemoAccounts, type Config } from '../../platform/config/config.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { onReconnect, type Redis } from '../../platform/redis/redis.ts';
import { addressMatcher } from './allowed-addresses.ts';
import { selectWithPartners } from './credential.store.ts';
import { type Credential, canonicalKeyId, isKeyId } from './credential.ts';

/** A short-lived cache of credentials by public key id. {@link publishCredentialChange} drops them everywhere. */
export interface CredentialCache {
  find(keyId: string): Promise<Credential | undefined>;
  /** Returns whether this process has ever found a credential with this id. Reads nothing. */
  hasSeen(keyId: string): boolean;
  clear(): void;
}

const MAX_CACHED = 10_000;
/** The maximum number of concurrent lookups that share one statement. */
const MAX_BATCH = 500;

function channelOf(config: Config): string {
  return `${config.redisPrefix}:credential-changes`;
}

/**
 * Creates a cache that drops a credential when any process announces a change, drops everything when the subscription
 * was interrupted (a message may have been missed), and in any case after a few seconds. Unknown ids are cached
 * separately, so that invented ids never evict a credential. A new credential's id is not among them: it is random,
 * so nobody looked it up before it was created.
 */
export function createCredentialCache(deps: {
  config: Config;
  db: Database;
  secrets: SecretBox;
  subscriber: Redis;
  log: Logger;
}): CredentialCache {
  const { config, db, secrets, subscriber, log } = deps;
  const keeps = config.credentialCacheMs > 0;
  const size = { max: MAX_CACHED, ttl: Math.max(1, config.credentialCacheMs) };
  const cached = new LRUCache<string, Credential>(size);
  const unknown = new LRUCache<string, true>(size);
  const found = new LRUCache<string, true>({ max: MAX_CACHED });
  let generation = 0;
  const forget = (keyId: string) => {
    generation += 1;
    for (const cache of [cached, unknown]) {
      if (keyId === '*') cache.clear();
      else cache.delete(keyId);
    }
  };
  subscriber.on('message', (_channel: string, keyId: string) => forget(keyId));
  onReconnect(subscriber, () => forget('*'));
  subscriber
    .subscribe(channelOf(config))
    .catch((error: Error) => log.warn({ err: error }, 'credential changes'));

  const read = batchCalls(async (keyIds: readonly string[]) => {
    const rows = await selectWithPartners.all(db.knex, {
      keyIds: [...new Set(keyIds)],
      demo: allowsDemoAccounts(config),
    });
    const byId = new Map(rows.map((row) => [row.keyId, row]));
    return keyIds.map((keyId) => byId.get(keyId));
  }, MAX_BATCH);

  return {
    clear: () => forget('*'),
    hasSeen: (spelled) => found.has(canonicalKeyId(spelled)),
    async find(spelled) {
      const keyId = canonicalKeyId(spelled);
      if (!isKeyId(keyId)) return undefined;
      const known = cached.get(keyId);
      if (known || unknown.has(keyId)) return known;
      const before = generation;
      const row = await read(keyId);
      // If a change was announced during the read, the result may be stale, so it is not cached.
      const keep = keeps && before === generation;
      if (!row) {
        if (keep) unknown.set(keyId, true);
        return undefined;
      }
      const { secretCiphertext, allowedIps, ...rest } = row;
      const credential = {
        ...rest,
        allows: addressMatcher(allowedIps),
        secret: secrets.open(secretCiphertext, keyId),
      };
      found.set(keyId, true);
      if (keep) cached.set(keyId, credential);
      return credential;
    },
  };
}

/** Tells every API process to reread a credential, or all of them (`*`). Call it after the commit. */
export async function publishCredentialChange(
  { redis, config }: { redis: Redis; config: Config },
  keyId: string,
): Promise<void> {
  // If Redis is down, the processes cannot check nonces either, and they clear their caches when they reconnect.
  await redis.publish(channelOf(config), keyId).catch(() => {});
}
