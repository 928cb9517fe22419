import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../../shared/platform/config.ts';
import { fail } from '../../shared/platform/errors.ts';
import type { Redis } from '../../shared/platform/redis.ts';

/** The groups of the partner API; each is one bucket per credential. */
export type LimitGroup = 'search' | 'write' | 'reporting' | 'reads';

/** A counter of requests a minute. */
export interface Limiter {
  /** Takes a slot. @throws rate_limited with `Retry-After`, or whatever Redis threw */
  take(key: string): Promise<void>;
}

/** The window of every limit. */
export const WINDOW_SECONDS = 60;

/** A fixed window of a minute in Redis, shared by all API processes. */
export function createLimiter(
  redis: Redis,
  config: Config,
  name: string,
  perMinute: number,
): Limiter {
  if (!config.rateLimits) return { take: async () => {} };
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: `${config.redisPrefix}:limit:${name}`,
    points: perMinute,
    duration: WINDOW_SECONDS,
  });
  return {
    async take(key) {
      try {
        await limiter.consume(key);
      } catch (rejected) {
        if (rejected instanceof Error) throw rejected;
        throw tooManyRequests((rejected as RateLimiterRes).msBeforeNext);
      }
    },
  };
}

/** The refusal of a request for which no slot is left. */
export function tooManyRequests(msBeforeNext: number) {
  const seconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  return fail('rate_limited', {
    message: `Too many requests. Retry after ${seconds} s.`,
    retryAfterSeconds: seconds,
  });
}
