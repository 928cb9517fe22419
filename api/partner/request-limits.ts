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

/** How many keys' worth of requests a partner may send in an environment, over all its keys and members. */
const PARTNER_SHARES = 3;

/** Whose request it is: of a partner in an environment, by one of its keys or members. */
export interface Requester {
  partnerId: string;
  environment: Environment;
  /** The id of the key, or of the member's account. */
  by: string;
  /**
   * Set for a request that takes no slot of its partner, only of the key or member: one that is refused, so that a
   * key that leaked holds nobody up once it is revoked, or one that takes a right away, so that a busy key cannot keep
   * members from doing that.
   */
  sparesPartner?: boolean;
}

/** What of a request must not come twice. */
export interface UsedNonce {
  nonce: string;
  /** How long it must be remembered. */
  seconds: number;
}

/** Counts requests, and remembers nonces. */
export interface RequestLimits {
  /**
   * Consumes the nonce of a signed request and takes a slot of the key, and of its partner, in `group`. Says how the
   * tighter of the two stands, null while limits are off; the nonce of a request that is not granted is not stored.
   * @throws replay_detected, service_unavailable when the clocks disagree, or whatever Redis threw
   */
  consume(requester: Requester, group: LimitGroup, used: UsedNonce): Promise<RateLimitState | null>;
  /**
   * Takes a slot of a member, and of the partner, in the same buckets. Without Redis each process counts by itself.
   * @throws rate_limited
   */
  take(requester: Requester, group: LimitGroup): Promise<void>;
}

/**
 * Keys: for each request of a partner its nonce and the counters of its limits, of the key or member and of the
 * partner. Arguments: seconds of a window, the time and how far that may be off, then for each the seconds of its
 * nonce (0: it has none), the slots of its window (0: no limit), those of the partner (0: it takes none), and a mark of
 * the request.
 *
 * Answers for each an outcome, and the limit, the slots left and the milliseconds to the end of the window of the
 * counter that has fewer left. Outcomes: -1 when its nonce was seen before, which costs no slot; 0 when it may go on;
 * 1 when no slot is left. A request that has none of its own takes none of its partner. The mark is there because the
 * connection sends a command again when its answer was lost: a request is no replay of itself. Answers nothing when it
 * is another time here: a clock that was set back would let in what was captured before.
 *
 * Only a request that has a slot leaves its nonce behind, so a credential never keeps more nonces than its limits
 * allow. A request without a slot is refused and did nothing, so there is no replay that its nonce could prevent.
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
 * Characters of base62. Long enough that two requests with one nonce do not share a mark by chance,
 * short enough to spare memory.
 */
const MARK_LENGTH = 9;

/** So few that no other command waits long for the script. */
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
 * Fixed windows of a minute for each group, key and partner, shared by all API processes. The requests of one tick are
 * one command for each partner and environment.
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
