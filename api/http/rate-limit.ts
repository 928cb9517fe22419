import { isIP } from 'node:net';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import { SECOND } from '../../shared/platform/clock.ts';
import type { Config } from '../../shared/platform/config/config.ts';
import { fail } from '../../shared/platform/errors.ts';
import type { Redis } from '../../shared/platform/redis/redis.ts';

/** The limit groups of the partner API; each is one bucket per credential. */
export type LimitGroup = 'search' | 'write' | 'reporting' | 'reads';

/** Counts requests in a window. */
export interface Limiter {
  /** Takes a slot. @throws rate_limited with `Retry-After`, or whatever Redis threw */
  take(key: string): Promise<void>;
  /** Takes no slot and makes no round trip. @throws rate_limited if this process knows that no slot is left */
  check(key: string): void;
}

/** The default window of a limit. */
export const WINDOW_SECONDS = 60;
/** How many keys without a slot a process remembers, so that a flood from one caller costs no round trips. */
const MAX_EXHAUSTED = 10_000;

/** Creates a limiter with a fixed window in Redis, shared by all API processes. */
export function createLimiter(
  redis: Redis,
  config: Config,
  name: string,
  points: number,
  windowSeconds = WINDOW_SECONDS,
): Limiter {
  if (!config.rateLimits) return { take: async () => {}, check: () => {} };
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: `${config.redisPrefix}:limit:${name}`,
    points,
    duration: windowSeconds,
  });
  const exhausted = new LRUCache<string, true>({
    max: MAX_EXHAUSTED,
    ttl: windowSeconds * SECOND,
  });
  const check = (key: string) => {
    if (exhausted.has(key)) throw tooManyRequests(exhausted.getRemainingTTL(key));
  };
  return {
    check,
    async take(key) {
      check(key);
      try {
        await limiter.consume(key);
      } catch (rejected) {
        if (rejected instanceof Error) throw rejected;
        const { msBeforeNext } = rejected as RateLimiterRes;
        exhausted.set(key, true, { ttl: Math.max(1, msBeforeNext) });
        throw tooManyRequests(msBeforeNext);
      }
    },
  };
}

/** A caller's rate-limit state in a group after a request for a slot. */
export interface RateLimitState {
  granted: boolean;
  limit: number;
  remaining: number;
  /** Whole seconds until the window resets, at least 1. */
  resetSeconds: number;
}

/** Returns the `RateLimit-*` headers for a state. */
export function rateLimitHeaders({ limit, remaining, resetSeconds }: RateLimitState) {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
    'RateLimit-Policy': `${limit};w=${WINDOW_SECONDS}`,
  };
}

/** @throws rate_limited */
export function requireWithinLimit({ granted, resetSeconds }: RateLimitState): void {
  if (granted) return;
  throw tooManyRequests(resetSeconds * SECOND);
}

/** Returns the 429 error for a request without a slot. */
export function tooManyRequests(msBeforeNext: number) {
  const seconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  return fail('rate_limited', {
    message: `Too many requests. Retry after ${seconds} s.`,
    retryAfterSeconds: seconds,
  });
}

/** A subscriber gets at least a /64, so all addresses in a /64 count as one caller. */
const NETWORK_GROUPS = 4;
/** Some proxies append the caller's port to the address: `192.0.2.1:50000`, `[2001:db8::1]:50000`. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$/;
const UNKNOWN = 'unknown';

/**
 * Returns the key that limits use for a caller's address: the IPv4 address, or the /64 network of an IPv6 address. All
 * limits by address must use it.
 */
export function callerBucket(req: Request): string {
  return addressBucket(req.ip ?? UNKNOWN);
}

/**
 * Returns the bucket of an address in any spelling; an IPv4-mapped IPv6 address counts as IPv4. Returns `unknown` for
 * text that is not an address.
 */
export function addressBucket(spelled: string): string {
  const [, bracketed, dotted] = WITH_PORT.exec(spelled) ?? [];
  const [address = ''] = (bracketed ?? dotted ?? spelled).split('%');
  if (isIP(address) === 0) return UNKNOWN;
  const plain = ipaddr.process(address);
  if (!(plain instanceof ipaddr.IPv6)) return plain.toString();
  const network = plain.parts.slice(0, NETWORK_GROUPS);
  return network.map((group) => group.toString(16)).join(':');
}
