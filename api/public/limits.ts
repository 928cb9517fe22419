import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../../shared/platform/config.ts';
import type { Redis } from '../../shared/platform/redis.ts';
import { addressBucket } from './address-bucket.ts';

/** The groups of the public API; each is one bucket per caller. */
export type PublicLimitGroup = 'search' | 'whois' | 'reads' | 'batch';

/** Who calls the public API. */
export interface PublicCaller {
  kind: 'anonymous';
  address: string;
}

/** How a caller stands in a group after asking for a slot. */
export interface Slot {
  granted: boolean;
  limit: number;
  remaining: number;
  /** Whole seconds until the window starts again, 1 at least. */
  resetSeconds: number;
}

/** Counts the requests of public callers, a fixed window of a minute per group. */
export interface PublicLimits {
  /** Takes a slot if there is one. Never throws: without Redis each process counts by itself. */
  take(group: PublicLimitGroup, caller: PublicCaller): Promise<Slot>;
}

export const WINDOW_SECONDS = 60;

export function createPublicLimits(redis: Redis, config: Config): PublicLimits {
  const perMinute: Record<PublicLimitGroup, number> = {
    search: config.limitPublicSearch,
    whois: config.limitPublicWhois,
    reads: config.limitPublicReads,
    batch: config.limitPublicBatch,
  };
  if (!config.rateLimits) {
    return {
      async take(group) {
        const limit = perMinute[group];
        return { granted: true, limit, remaining: limit, resetSeconds: WINDOW_SECONDS };
      },
    };
  }
  const limiterOf = (group: PublicLimitGroup) => {
    const keyPrefix = `${config.redisPrefix}:limit:public-${group}`;
    const window = { keyPrefix, points: perMinute[group], duration: WINDOW_SECONDS };
    return new RateLimiterRedis({
      ...window,
      storeClient: redis,
      insuranceLimiter: new RateLimiterMemory(window),
    });
  };
  const limiters: Record<PublicLimitGroup, RateLimiterRedis> = {
    search: limiterOf('search'),
    whois: limiterOf('whois'),
    reads: limiterOf('reads'),
    batch: limiterOf('batch'),
  };
  return {
    async take(group, caller) {
      const limit = perMinute[group];
      try {
        const state = await limiters[group].consume(addressBucket(caller.address));
        return slot(true, limit, state);
      } catch (rejected) {
        if (rejected instanceof Error) throw rejected;
        return slot(false, limit, rejected as RateLimiterRes);
      }
    },
  };
}

function slot(granted: boolean, limit: number, state: RateLimiterRes): Slot {
  const resetSeconds = Math.max(1, Math.ceil(state.msBeforeNext / 1_000));
  return { granted, limit, remaining: Math.max(0, state.remainingPoints), resetSeconds };
}
