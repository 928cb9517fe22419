import { fail } from '../../shared/platform/errors.ts';
import { randomBase62 } from '../../shared/platform/ids.ts';
import { defineScript } from '../../shared/platform/redis.ts';
import { groupPrefix } from '../../shared/platform/redis-keys.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { type LimitGroup, tooManyRequests, WINDOW_SECONDS } from '../http/rate-limit.ts';
import type { VerifiedRequest } from '../http/signature.ts';

/**
 * Keys: the nonce, the counter of the limit. Arguments: seconds of the nonce, slots of a window (0: none is
 * taken), seconds of a window, a mark of this request. Answers -1 for a nonce seen before, which costs no slot;
 * 0 when the request may go on; or the milliseconds after which a slot is free. The mark is there because the
 * connection sends a command again when its answer was lost: a request is no replay of itself.
 */
const BURN = `
if not redis.call('SET', KEYS[1], ARGV[4], 'NX', 'EX', ARGV[1]) and redis.call('GET', KEYS[1]) ~= ARGV[4] then
  return -1
end
local slots = tonumber(ARGV[2])
if slots == 0 then return 0 end
local taken = redis.call('INCR', KEYS[2])
if taken == 1 then redis.call('EXPIRE', KEYS[2], ARGV[3]) end
if taken <= slots then return 0 end
return math.max(1, redis.call('PTTL', KEYS[2]))`;

/** Of base62: two requests that share a nonce will not share a mark by chance, and memory is spared. */
const MARK_LENGTH = 9;

/**
 * Burns a request's nonce and takes a slot of its credential in `group` (none without a group): one command.
 * @throws replay_detected, rate_limited, or whatever Redis threw
 */
export type NonceBurner = (request: VerifiedRequest, group: LimitGroup | null) => Promise<void>;

/** A fixed window of a minute for each group and credential, shared by all API processes. */
export function createNonceBurner({
  config,
  redis,
}: Pick<Runtime, 'config' | 'redis'>): NonceBurner {
  const burn = defineScript(redis, 'burnNonce', BURN, 2);
  const slotsOf: Record<LimitGroup, number> = {
    search: config.limitSearch,
    write: config.limitWrite,
    reporting: config.limitReporting,
    reads: config.limitReads,
  };
  return async ({ credential, nonce, nonceSeconds }, group) => {
    const { keyId } = credential;
    const prefix = `${groupPrefix(config.redisPrefix, keyId)}:${keyId}`;
    const slots = group && config.rateLimits ? slotsOf[group] : 0;
    const wait = await burn(
      [`${prefix}:nonce:${nonce}`, `${prefix}:limit:${group ?? 'none'}`],
      [String(nonceSeconds), String(slots), String(WINDOW_SECONDS), randomBase62(MARK_LENGTH)],
    );
    if (wait === -1) throw fail('replay_detected');
    if (wait !== 0) throw tooManyRequests(Number(wait));
  };
}
