import type { ErrorRequestHandler, Response } from 'express';
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../../shared/platform/config/config.ts';
import type { Redis } from '../../shared/platform/redis/redis.ts';
import {
  type RateLimitState,
  rateLimitHeaders,
  requireWithinLimit,
  WINDOW_SECONDS,
} from '../http/rate-limit.ts';
import { anonymousCaller, type PublicCaller } from './public-caller.ts';

/** The limit groups of the public API; each is one bucket per caller. */
export type PublicLimitGroup =
  | 'search'
  | 'whois'
  | 'reads'
  | 'batch'
  | 'bulk'
  | 'account'
  | 'registration'
  | 'staff'
  | 'staff-exports';

/** The caller whose requests are counted: an address or an account. */
type LimitedCaller = { kind: 'anonymous'; bucket: string } | { kind: 'user'; userId: string };

/** Counts requests of public callers in fixed one-minute windows per group. */
export interface PublicLimits {
  /** Takes a slot if one is left. Never throws: without Redis each process counts on its own. */
  take(group: PublicLimitGroup, caller: LimitedCaller): Promise<RateLimitState>;
}

export function createPublicLimits(redis: Redis, config: Config): PublicLimits {
  const perMinute: Record<PublicLimitGroup, Record<PublicCaller['kind'], number>> = {
    search: { anonymous: config.limitPublicSearch, user: config.limitUserSearch },
    whois: { anonymous: config.limitPublicWhois, user: config.limitUserWhois },
    reads: { anonymous: config.limitPublicReads, user: config.limitUserReads },
    batch: { anonymous: config.limitPublicBatch, user: config.limitUserBatch },
    // Anonymous callers never get this far.
    bulk: { anonymous: 0, user: config.limitUserBulk },
    // Users' own pages, separate from the reads of apps they connected.
    account: { anonymous: 0, user: config.limitUserReads },
    // The console and its API, for signed-in staff.
    staff: { anonymous: 0, user: config.limitStaff },
    'staff-exports': { anonymous: 0, user: config.limitStaffExports },
    // Registration of OAuth clients, which happens before anyone is signed in.
    registration: {
      anonymous: config.limitClientRegistration,
      user: config.limitClientRegistration,
    },
  };
  if (!config.rateLimits) {
    return {
      async take(group, { kind }) {
        const limit = perMinute[group][kind];
        return { granted: true, limit, remaining: limit, resetSeconds: WINDOW_SECONDS };
      },
    };
  }
  const limiterOf = (group: PublicLimitGroup, kind: PublicCaller['kind']) => {
    const keyPrefix = `${config.redisPrefix}:limit:${kind}-${group}`;
    const window = { keyPrefix, points: perMinute[group][kind], duration: WINDOW_SECONDS };
    return new RateLimiterRedis({
      ...window,
      storeClient: redis,
      insuranceLimiter: new RateLimiterMemory(window),
    });
  };
  const limitersOf = (group: PublicLimitGroup) => ({
    anonymous: limiterOf(group, 'anonymous'),
    user: limiterOf(group, 'user'),
  });
  const limiters: Record<PublicLimitGroup, Record<PublicCaller['kind'], RateLimiterRedis>> = {
    search: limitersOf('search'),
    whois: limitersOf('whois'),
    reads: limitersOf('reads'),
    batch: limitersOf('batch'),
    bulk: limitersOf('bulk'),
    account: limitersOf('account'),
    registration: limitersOf('registration'),
    staff: limitersOf('staff'),
    'staff-exports': limitersOf('staff-exports'),
  };
  return {
    async take(group, caller) {
      const limit = perMinute[group][caller.kind];
      const bucket = caller.kind === 'user' ? caller.userId : caller.bucket;
      try {
        const state = await limiters[group][caller.kind].consume(bucket);
        return slot(true, limit, state);
      } catch (rejected) {
        if (rejected instanceof Error) throw rejected;
        return slot(false, limit, rejected as RateLimiterRes);
      }
    },
  };
}

function slot(granted: boolean, limit: number, state: RateLimiterRes): RateLimitState {
  const resetSeconds = Math.max(1, Math.ceil(state.msBeforeNext / 1_000));
  return { granted, limit, remaining: Math.max(0, state.remainingPoints), resetSeconds };
}

/** Takes a rate-limit slot and sets the `RateLimit-*` headers on the response. */
export async function countRequest(
  limits: PublicLimits,
  group: PublicLimitGroup,
  caller: PublicCaller,
  res: Response,
): Promise<RateLimitState> {
  res.locals.publicCaller = caller;
  const slot = await limits.take(group, caller);
  res.set(rateLimitHeaders(slot));
  return slot;
}

/** Like {@link countRequest}, but requires a slot. @throws rate_limited */
export async function countOrRefuse(...asked: Parameters<typeof countRequest>): Promise<void> {
  requireWithinLimit(await countRequest(...asked));
}

/**
 * Counts requests refused before a caller was admitted (an unknown path, a bad token) as a read by the address, or by
 * the user if one is known to be signed in.
 */
export function countRefusedRequests(limits: PublicLimits): ErrorRequestHandler {
  return async (error, req, res, next) => {
    const { publicCaller, signedIn = anonymousCaller(req) } = res.locals;
    if (!publicCaller) await countOrRefuse(limits, 'reads', signedIn, res);
    next(error);
  };
}
