import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Clock } from '../../shared/platform/clock.ts';
import { batchCallsByKey } from '../../shared/platform/concurrency/call-batcher.ts';
import type { Config, Environment } from '../../shared/platform/config/config.ts';
import { fail } from '../../shared/platform/errors.ts';
import { randomBase62 } from '../../shared/platform/ids.ts';
import { defineScript, hashTagPrefix, type Redis } from '../../shared/platform/redis/redis.ts';
import { MAX_CLOCK_DIFFERENCE_SECONDS } from '../../shared/platform/redis/redis-clock.ts';
import {
  type LimitGroup,
  type RateLimitState,
  tooManyRequests,
  WINDOW_SECONDS,
} from '../http/rate-limit.ts';

/** A partner's limit in an environment, over all its keys and members, as a multiple of the limit of one key. */
const PARTNER_SHARES = 3;

/** Who sent a request: a partner in an environment, through one of its keys or members. */
export interface Requester {
  partnerId: string;
  environment: Environment;
  /** The id of the key, or of the member's account. */
  by: string;
  /**
   * Set for a request that takes a slot only of the key or member, not of the partner: a refused request, so that a
   * leaked key blocks nobody once it is revoked, or a request that revokes access, so that a busy key cannot block
   * members from doing that.
   */
  sparesPartner?: boolean;
}

/** The nonce that a request may use only once. */
export interface UsedNonce {
  nonce: string;
  /** How long the nonce must be remembered. */
  seconds: number;
}

/** Counts requests and remembers nonces. */
export interface RequestLimits {
  /**
   * Consumes the nonce of a signed request and takes a slot of the key, and of its partner, in `group`. Returns the
   * state of the tighter limit, null while limits are off; the nonce of a refused request is not stored.
   * @throws replay_detected, service_unavailable when the clocks disagree, or whatever Redis threw
   */
  consume(requester: Requester, group: LimitGroup, used: UsedNonce): Promise<RateLimitState | null>;
  /**
   * Takes a slot of a member, and of the partner, in the same buckets. Without Redis each process counts on its own.
   * @throws rate_limited
   */
  take(requester: Requester, group: LimitGroup): Promise<void>;
}

/**
 * Keys, for each request: its nonce, the counter of the key or member, and the counter of the partner. Arguments: the
 * window in seconds, the current time and its tolerance, then for each request the lifetime of its nonce in seconds (0:
 * no nonce), the slots per window (0: no limit), the partner's slots (0: takes none), and a mark of the request.
 *
 * Returns for each request an outcome, then the limit, the remaining slots and the milliseconds to the end of the
 * window, all of the counter with fewer slots left. Outcomes: -1 if the nonce was seen before, which costs no slot; 0
 * if granted; 1 if no slot is left. A request without a slot of its own takes none of its partner. The mark exists
 * because the connection resends a command whose reply was lost: a request is not a replay of itself. Returns nothing
 * if the Redis clock disagrees: a clock that was set back would admit replays of captured requests.
 *
 * Only a granted request stores its nonce, so a credential never stores more nonces than its limits allow. A request
 * without a slot is refused and did nothing, so its nonce has no replay to prevent.
 */
const CONSUME = `
local window = ARGV[1]
if math.abs(tonumber(redis.call('TIME')[1]) - tonumber(ARGV[2])) > tonumber(ARGV[3]) then return {} end
local function left(counter, slots)
  local taken = redis.call('INCR', counter)
  if taken == 1 then redis.call('EXPIRE', counter, window) end
  return slots - taken
end
local answers = {}
for i = 1, #KEYS / 3 do
  local nonce, own, shared = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
  local seconds, mark = ARGV[4 * i], ARGV[4 * i + 3]
  local slots, shares = tonumber(ARGV[4 * i + 1]), tonumber(ARGV[4 * i + 2])
  local at = 4 * i - 3
  local outcome, limit, remaining, reset = 0, slots, 0, 0
  if seconds ~= '0' and not redis.call('SET', nonce, mark, 'NX', 'EX', seconds) then
    if redis.call('GET', nonce) ~= mark then outcome = -1 end
  elseif slots > 0 then
    local counter = own
    remaining = left(own, slots)
    if remaining >= 0 and shares > 0 then
      local others = left(shared, shares)
      if others < remaining then counter, limit, remaining = shared, shares, others end
    end
    reset = redis.call('PTTL', counter)
    if remaining < 0 then
      outcome = 1
      if seconds ~= '0' then redis.call('DEL', nonce) end
    end
  end
  answers[at], answers[at + 1], answers[at + 2], answers[at + 3] = outcome, limit, remaining, reset
end
return answers`;

const FIELDS = 4;
const SEEN_BEFORE = -1;
const CLOCKS_DISAGREE = -2;

/**
 * The length of a mark, in base62 characters. Long enough that two requests with one nonce do not get the same mark by
 * chance, short enough to save memory.
 */
const MARK_LENGTH = 9;

/** The maximum number of requests per script call, so that other commands do not wait long. */
const MAX_TOGETHER = 50;

interface Asked {
  requester: Requester;
  group: LimitGroup;
  used: UsedNonce | null;
}

interface Answer {
  outcome: number;
  limit: number;
  remaining: number;
  resetMs: number;
}

/**
 * Creates fixed one-minute windows for each group, key and partner, shared by all API processes. The requests of one
 * tick share one command per partner and environment.
 */
export function createRequestLimits({
  config,
  redis,
  postgresClock,
}: {
  config: Config;
  redis: Redis;
  postgresClock: Clock;
}): RequestLimits {
  const script = defineScript(redis, 'consumeRequests', CONSUME);
  const slotsOf: Record<LimitGroup, number> = {
    search: config.limitSearch,
    write: config.limitWrite,
    reporting: config.limitReporting,
    reads: config.limitReads,
  };
  const ask = batchCallsByKey(
    ({ requester }: Asked) => bucketOf(requester),
    async (bucket, requests): Promise<Answer[]> => {
      const prefix = `${hashTagPrefix(config.redisPrefix, bucket)}:${bucket}`;
      const keys: string[] = [];
      const args = [
        String(WINDOW_SECONDS),
        String(Math.floor(postgresClock.now().getTime() / 1_000)),
        String(MAX_CLOCK_DIFFERENCE_SECONDS),
      ];
      for (const { requester, group, used } of requests) {
        const slots = config.rateLimits ? slotsOf[group] : 0;
        const own = `${prefix}:${requester.by}`;
        keys.push(
          `${own}:nonce:${used?.nonce}`,
          `${own}:limit:${group}`,
          `${prefix}:limit:${group}`,
        );
        const shares = requester.sparesPartner ? 0 : slots * PARTNER_SHARES;
        const mark = randomBase62(MARK_LENGTH);
        args.push(String(used?.seconds ?? 0), String(slots), String(shares), mark);
      }
      const answers = (await script(keys, args)) as number[];
      return requests.map((_request, at) => {
        const [outcome = CLOCKS_DISAGREE, limit = 0, remaining = 0, resetMs = 0] = answers.slice(
          FIELDS * at,
          FIELDS * (at + 1),
        );
        return { outcome, limit, remaining, resetMs };
      });
    },
    MAX_TOGETHER,
    Number.POSITIVE_INFINITY,
  );
  const withoutRedis = createMemoryLimits(slotsOf);
  return {
    async consume(requester, group, used) {
      const answer = await ask({ requester, group, used });
      if (answer.outcome === SEEN_BEFORE) throw fail('replay_detected');
      if (answer.outcome === CLOCKS_DISAGREE) throw fail('service_unavailable');
      return answer.limit === 0 ? null : stateOf(answer);
    },
    async take(requester, group) {
      const answer = await ask({ requester, group, used: null }).catch(() => undefined);
      if (!answer || answer.outcome === CLOCKS_DISAGREE) {
        if (config.rateLimits) await withoutRedis(requester, group);
      } else if (!stateOf(answer).granted) throw tooManyRequests(answer.resetMs);
    },
  };
}

const bucketOf = ({ partnerId, environment }: Requester) => `${partnerId}:${environment}`;

function stateOf({ outcome, limit, remaining, resetMs }: Answer): RateLimitState {
  return {
    granted: outcome === 0,
    limit,
    remaining: Math.max(0, remaining),
    resetSeconds: Math.max(1, Math.ceil(resetMs / 1_000)),
  };
}

function createMemoryLimits(slotsOf: Record<LimitGroup, number>) {
  const limiterOf = (group: LimitGroup) =>
    new RateLimiterMemory({ points: slotsOf[group], duration: WINDOW_SECONDS });
  const limiters: Record<LimitGroup, RateLimiterMemory> = {
    search: limiterOf('search'),
    write: limiterOf('write'),
    reporting: limiterOf('reporting'),
    reads: limiterOf('reads'),
  };
  return async (requester: Requester, group: LimitGroup): Promise<void> => {
    try {
      await limiters[group].consume(`${bucketOf(requester)}:${requester.by}`);
    } catch (rejected) {
      if (rejected instanceof Error) throw rejected;
      throw tooManyRequests((rejected as { msBeforeNext: number }).msBeforeNext);
    }
  };
}
