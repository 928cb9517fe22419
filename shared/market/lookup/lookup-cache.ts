import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/clock.ts';
import type { Redis } from '../../platform/redis/redis.ts';
import type { RegistryRecord } from './lookup.ts';

/** An answer as it is kept. */
export interface CachedRecord {
  record: RegistryRecord;
  /** The registrar's record, which nobody has asked for yet. */
  registrarUrl: string | null;
  fetchedAt: Date;
}

export interface LookupCache {
  find(domain: string): Promise<CachedRecord | undefined>;
  keep(domain: string, answer: CachedRecord): Promise<void>;
}

const MAX_IN_MEMORY = 5_000;

/**
 * Keeps answers in Redis for all processes, and in this one, which is what is left while Redis is away. Names
 * that nobody holds are kept for `freeMs` after they were fetched, others for `takenMs`; 0 keeps nothing.
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
  // The version changes with the shape, so that a new release does not read an old one's answers.
  const keyOf = (domain: string) => `${prefix}:lookup:1:${domain}`;
  return {
    async find(domain) {
      const known = here.get(domain);
      if (known) return known;
      const text = await redis.get(keyOf(domain)).catch(() => null);
      return text === null ? undefined : revived(text);
    },
    async keep(domain, answer) {
      // What the registrar adds later makes the rest no newer.
      const age = Math.max(0, clock.now().getTime() - answer.fetchedAt.getTime());
      const ms = (answer.record.registered ? takenMs : freeMs) - age;
      if (ms <= 0) return;
      here.set(domain, answer, { ttl: ms });
      await redis.set(keyOf(domain), JSON.stringify(answer), 'PX', ms).catch(() => {});
    },
  };
}

/** Undefined for what is no answer of ours; then the registry is asked again. */
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
