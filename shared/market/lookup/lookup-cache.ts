import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/clock.ts';
import type { Redis } from '../../platform/redis/redis.ts';
import type { RegistryRecord } from './lookup.ts';

/** A cached answer. */
export interface CachedRecord {
  record: RegistryRecord;
  /** The URL of the registrar's record, if not fetched yet. */
  registrarUrl: string | null;
  fetchedAt: Date;
}

export interface LookupCache {
  find(domain: string): Promise<CachedRecord | undefined>;
  keep(domain: string, answer: CachedRecord): Promise<void>;
}

const MAX_IN_MEMORY = 5_000;

/**
 * Caches answers in Redis for all processes and in this process, which still works if Redis is down. Unregistered names
 * are kept for `freeMs` after they were fetched, others for `takenMs`; 0 keeps nothing.
 */
export function createLookupCache(deps: {
  redis: Redis;
  clock: Clock;
  prefix: string;
  takenMs: number;
  freeMs: number;
}): LookupCache {
  const { redis, clock, prefix, takenMs, freeMs } = deps;
  const here = new LRUCache<string, CachedRecord>({ max: MAX_IN_MEMORY });
  // Change the version with the format, so that a new release ignores answers of an old one.
  const keyOf = (domain: string) => `${prefix}:lookup:1:${domain}`;
  return {
    async find(domain) {
      const known = here.get(domain);
      if (known) return known;
      const text = await redis.get(keyOf(domain)).catch(() => null);
      return text === null ? undefined : revived(text);
    },
    async keep(domain, answer) {
      // Registrar data added later does not make the record newer.
      const age = Math.max(0, clock.now().getTime() - answer.fetchedAt.getTime());
      const ms = (answer.record.registered ? takenMs : freeMs) - age;
      if (ms <= 0) return;
      here.set(domain, answer, { ttl: ms });
      await redis.set(keyOf(domain), JSON.stringify(answer), 'PX', ms).catch(() => {});
    },
  };
}

/** Returns undefined for an unreadable cache entry; the registry is then asked again. */
function revived(text: string): CachedRecord | undefined {
  try {
    return withDates(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function withDates(kept: CachedRecord): CachedRecord {
  const dateOf = (value: Date | null) => (value === null ? null : new Date(value));
  const { created, updated, expires } = kept.record.dates;
  const dates = { created: dateOf(created), updated: dateOf(updated), expires: dateOf(expires) };
  return { ...kept, record: { ...kept.record, dates }, fetchedAt: new Date(kept.fetchedAt) };
}
