import { describe, expect, it } from '@jest/globals';
import { unregisteredRecord } from '../../../shared/market/lookup/lookup.ts';
import { createLookupCache } from '../../../shared/market/lookup/lookup-cache.ts';
import { HOUR, MINUTE } from '../../../shared/platform/clock.ts';
import type { Redis } from '../../../shared/platform/redis/redis.ts';

describe('the lookup cache', () => {
  it.each([
    ['a registered name', true, HOUR],
    ['a free name', false, 10 * MINUTE],
  ])(
    'keeps %s for its lifetime, counted from when it was fetched',
    async (_what, registered, keptMs) => {
      const lifetimes: number[] = [];
      const redis = {
        get: async () => null,
        set: async (_key: string, _value: string, _unit: 'PX', ms: number) => lifetimes.push(ms),
      } as unknown as Redis;
      const now = new Date('2026-05-01T12:00:00Z');
      const clock = { now: () => now };
      const deps = { redis, clock, prefix: 'test', takenMs: HOUR, freeMs: 10 * MINUTE };
      const cache = createLookupCache(deps);
      const record = { ...unregisteredRecord('name.com', 'rdap'), registered };
      const keep = (domain: string, agoMs: number) => {
        const fetchedAt = new Date(now.getTime() - agoMs);
        return cache.keep(domain, { record, registrarUrl: null, fetchedAt });
      };
      await keep('new.com', 0);
      await keep('older.com', 4 * MINUTE);
      await keep('old.com', keptMs);
      expect(lifetimes).toEqual([keptMs, keptMs - 4 * MINUTE]);
      expect(await cache.find('old.com')).toBeUndefined();
    },
  );
});
