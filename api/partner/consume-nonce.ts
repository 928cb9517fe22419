import { batchCallsByKey } from '../../shared/platform/batch.ts';
import { fail } from '../../shared/platform/errors.ts';
import { randomBase62 } from '../../shared/platform/ids.ts';
import { defineScript } from '../../shared/platform/redis.ts';
import { hashTagPrefix } from '../../shared/platform/redis-keys.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { type LimitGroup, tooManyRequests, WINDOW_SECONDS } from '../http/rate-limit.ts';
import type { VerifiedRequest } from '../http/signature.ts';

/**
 * Keys: for each request of one credential its nonce and the counter of its limit. Arguments: seconds of a window,
 * then for each the seconds of its nonce, the slots of its window (0: no limit) and a mark of the request.
 * Answers for each -1 when its nonce was seen before, which costs no slot; 0 when it may go on; or the milliseconds
 * after which a slot is free. The mark is there because the connection sends a command again when its answer was
 * lost: a request is no replay of itself.
 *
 * Only a request that has a slot leaves its nonce behind, so a credential never keeps more nonces than its limits
 * allow. A request without a slot is refused and did nothing, so there is no replay that its nonce could prevent.
 */
const CONSUME = `
local window = ARGV[1]
local answers = {}
for i = 1, #KEYS / 2 do
  local nonce, counter = KEYS[2 * i - 1], KEYS[2 * i]
  local seconds, slots, mark = ARGV[3 * i - 1], tonumber(ARGV[3 * i]), ARGV[3 * i + 1]
  answers[i] = 0
  if not redis.call('SET', nonce, mark, 'NX', 'EX', seconds) then
    if redis.call('GET', nonce) ~= mark then answers[i] = -1 end
  elseif slots > 0 then
    local taken = redis.call('INCR', counter)
    if taken == 1 then redis.call('EXPIRE', counter, window) end
    if taken > slots then
      redis.call('DEL', nonce)
      answers[i] = math.max(1, redis.call('PTTL', counter))
    end
  end
end
return answers`;

/** Of base62: two requests that share a nonce will not share a mark by chance, and memory is spared. */
const MARK_LENGTH = 9;

/** So few that no other command waits long for the script. */
const MAX_TOGETHER = 50;

/**
 * Takes a slot of the credential in `group` and consumes the request's nonce. A request that gets no slot is
 * refused, and its nonce is not stored.
 * @throws replay_detected, rate_limited, or whatever Redis threw
 */
export type NonceConsumer = (request: VerifiedRequest, group: LimitGroup) => Promise<void>;

interface Consumption {
  request: VerifiedRequest;
  group: LimitGroup;
}

/**
 * A fixed window of a minute for each group and credential, shared by all API processes. The requests of one
 * tick are one command for each credential.
 */
export function createNonceConsumer({
  config,
  redis,
}: Pick<Runtime, 'config' | 'redis'>): NonceConsumer {
  const script = defineScript(redis, 'consumeNonces', CONSUME);
  const slotsOf: Record<LimitGroup, number> = {
    search: config.limitSearch,
    write: config.limitWrite,
    reporting: config.limitReporting,
    reads: config.limitReads,
  };
  const consume = batchCallsByKey(
    ({ request }: Consumption) => request.credential.keyId,
    async (keyId, consumptions) => {
      const prefix = `${hashTagPrefix(config.redisPrefix, keyId)}:${keyId}`;
      const keys: string[] = [];
      const args = [String(WINDOW_SECONDS)];
      for (const { request, group } of consumptions) {
        const slots = config.rateLimits ? slotsOf[group] : 0;
        keys.push(`${prefix}:nonce:${request.nonce}`, `${prefix}:limit:${group}`);
        args.push(String(request.nonceSeconds), String(slots), randomBase62(MARK_LENGTH));
      }
      return (await script(keys, args)) as number[];
    },
    MAX_TOGETHER,
    Number.POSITIVE_INFINITY,
  );
  return async (request, group) => {
    const wait = await consume({ request, group });
    if (wait === 0) return;
    if (wait === -1) throw fail('replay_detected');
    throw tooManyRequests(wait);
  };
}
