import type { Request } from 'express';
import type { Caller } from '../../shared/people/partners/credential.ts';
import { batchCallsByKey } from '../../shared/platform/concurrency/call-batcher.ts';
import { fail, ServiceError } from '../../shared/platform/errors.ts';
import { randomBase62 } from '../../shared/platform/ids.ts';
import { defineScript, hashTagPrefix } from '../../shared/platform/redis/redis.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import {
  callerBucket,
  createLimiter,
  type LimitGroup,
  tooManyRequests,
  WINDOW_SECONDS,
} from '../http/rate-limit.ts';
import { assertActive, type VerifiedRequest, verifySignature } from '../http/verify-signature.ts';
import type { PartnerRoute } from './partner-route.ts';

/** Decides whether a request may reach its handler. Nothing of the body is parsed before it says so. */
export type AuthenticateRequest = (route: PartnerRoute, req: Request) => Promise<Caller>;

/**
 * The checks in their documented order: signature, nonce, rate limit, standing, scope, Idempotency-Key.
 * Nonce and rate limit are one command to Redis, which requests of one tick share.
 */
export function createAuthenticator(runtime: Runtime): AuthenticateRequest {
  const { config, redis } = runtime;
  const consumeNonce = createNonceConsumer(runtime);
  const failures = createLimiter(redis, config, 'failed-signatures', config.limitFailedSignatures);

  return async (route, req) => {
    const beforeLookup = () => failures.check(callerBucket(req));
    const verified = await verifySignature(runtime, req, beforeLookup).catch(
      async (error: unknown) => {
        // A guess costs its address a slot; valid requests from the same address are not touched.
        if (isFailedSignature(error)) await failures.take(callerBucket(req));
        throw error;
      },
    );
    const refusal = authorizationError(runtime, route, verified);
    // A request that is refused counts as well: nobody may knock as often as they like.
    await consumeNonce(verified, route.limit);
    if (refusal) throw refusal;
    checkIdempotencyKey(route, req);
    const { partnerId, environment, keyId, commissionBps, affiliateId } = verified.credential;
    return { partnerId, environment, keyId, commissionBps, affiliateId };
  };
}

function authorizationError(
  runtime: Runtime,
  route: PartnerRoute,
  { credential }: VerifiedRequest,
): unknown {
  try {
    assertActive(credential, runtime.clock.now());
  } catch (error) {
    return error;
  }
  if (!route.scopes.some((scope) => credential.scopes.includes(scope))) {
    return fail('forbidden', {
      message: `This credential lacks the scope "${route.scopes.join('" or "')}".`,
    });
  }
  if (route.sandboxOnly && credential.environment !== 'SANDBOX') {
    return fail('not_found', { message: 'There is nothing at this path.' });
  }
  return undefined;
}

function isFailedSignature(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'invalid_signature';
}

function checkIdempotencyKey(route: PartnerRoute, req: Request): void {
  if (route.idempotencyKey !== 'required') return;
  if (idempotencyKeyOf(req) === undefined) throw fail('missing_idempotency_key');
}

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
