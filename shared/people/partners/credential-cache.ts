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

/** Credentials by public key id, cached for moments; {@link publishCredentialChange} drops them everywhere. */
export interface CredentialCache {
  find(keyId: string): Promise<Credential | undefined>;
  /** Whether this process found a credential of this id before, however long ago. Reads nothing. */
  hasSeen(keyId: string): boolean;
  clear(): void;
}

const MAX_CACHED = 10_000;
/** Lookups that come together are one statement, however many ids somebody makes up. */
const MAX_BATCH = 500;

function channelOf(config: Config): string {
  return `${config.redisPrefix}:credential-changes`;
}

/**
 * A cache that forgets a credential when any process announces a change of it, forgets everything when
 * the subscription was interrupted (a message may have been missed), and in any case after a few seconds.
 * Ids that no credential has are remembered apart, so that made-up ones never displace a credential. A new
 * credential is not among them: its id is random, so nobody asked for it before it was made.
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
      // A change announced while we were reading: what was read may be old, so it is not kept.
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

/** Tells every API process to read a credential (or, with `*`, all of them) afresh. Call it after the commit. */
export async function publishCredentialChange(
  { redis, config }: { redis: Redis; config: Config },
  keyId: string,
): Promise<void> {
  // Away: the processes can't check nonces either, and clear their caches when they reconnect.
  await redis.publish(channelOf(config), keyId).catch(() => {});
}
