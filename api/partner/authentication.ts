import type { Request } from 'express';
import { type Credential, isSandboxKeyId } from '../../shared/people/partners/credential.ts';
import {
  canonicalString,
  isValidSignature,
  MalformedQuery,
  type SignedRequest,
} from '../../shared/people/partners/request-signature.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { batchCallsByKey } from '../../shared/platform/concurrency/call-batcher.ts';
import type { Config } from '../../shared/platform/config/config.ts';
import { fail, invalid, ServiceError } from '../../shared/platform/errors.ts';
import { randomBase62 } from '../../shared/platform/ids.ts';
import type { Redis } from '../../shared/platform/redis/redis.ts';
import { defineScript, hashTagPrefix } from '../../shared/platform/redis/redis.ts';
import { MAX_CLOCK_DIFFERENCE_SECONDS } from '../../shared/platform/redis/redis-clock.ts';
import type { ApiServices } from '../compose-api.ts';
import { idempotencyKeyOf } from '../http/idempotent-requests.ts';
import { rawBodyOf } from '../http/json-body.ts';
import {
  callerBucket,
  createLimiter,
  type LimitGroup,
  tooManyRequests,
  WINDOW_SECONDS,
} from '../http/rate-limit.ts';
import type { RequestNotes } from './log-requests.ts';
import type { PartnerCaller, PartnerRoute } from './partner-route.ts';

/** How far a timestamp may be off, in seconds, either way. */
const MAX_SKEW_SECONDS = 300;
const NONCE_SECONDS = 2 * MAX_SKEW_SECONDS;
const TIMESTAMP = /^[0-9]{1,12}$/;
const NONCE = /^[\x21-\x7e]{1,128}$/;
/** Signed with when the key id is unknown, so that the answer takes the same time. */
const DUMMY_SECRET = 'sk_sandbox_no-such-credential';

/** A request whose signature holds. Its nonce is not consumed yet. */
export interface VerifiedRequest {
  credential: Credential;
  nonce: string;
  /** How long the nonce must be remembered, in seconds. */
  nonceSeconds: number;
}

/** Decides whether a request may reach its handler. Nothing of the body is parsed before it says so. */
export type AuthenticateRequest = (
  route: PartnerRoute,
  req: Request,
  notes: RequestNotes,
) => Promise<PartnerCaller>;

/**
 * The checks in their documented order: signature, nonce, rate limit, standing, address, scope, Idempotency-Key.
 * Nonce and rate limit are one command to Redis, which requests of one tick share.
 */
export function createAuthenticator(runtime: ApiServices): AuthenticateRequest {
  const { config, redis } = runtime;
  const consumeNonce = createNonceConsumer(runtime);
  const failures = createLimiter(redis, config, 'failed-signatures', config.limitFailedSignatures);

  return async (route, req, notes) => {
    const beforeLookup = () => failures.check(callerBucket(req));
    const verified = await verifySignature(runtime, req, notes, beforeLookup).catch(
      async (error: unknown) => {
        // A guess costs its address a slot; valid requests from the same address are not touched.
        if (isFailedSignature(error)) await failures.take(callerBucket(req));
        throw error;
      },
    );
    const refusal = authorizationError(runtime, route, verified, req.ip);
    // A request that is refused counts as well: nobody may knock as often as they like.
    await consumeNonce(verified, route.limit);
    if (refusal) throw refusal;
    runtime.credentialUse.note(verified.credential.keyId);
    checkIdempotencyKey(route, req);
    const { partnerId, environment, keyId, commissionBps, affiliateId, scopes } =
      verified.credential;
    return { partnerId, environment, keyId, commissionBps, affiliateId, scopes };
  };
}

/**
 * Checks the four headers and the signature over the raw request, in the documented order. `beforeLookup` may
 * refuse a request whose key id this process never found, before anything is read for it.
 * @throws missing_credentials, missing_signature_headers, invalid_timestamp, invalid_signature, validation_error
 */
async function verifySignature(
  runtime: ApiServices,
  req: Request,
  notes: RequestNotes,
  beforeLookup: () => void,
): Promise<VerifiedRequest> {
  const keyId = req.get('X-Service-Key-Id');
  if (!keyId) throw fail('missing_credentials');
  const timestamp = req.get('X-Service-Timestamp');
  const nonce = req.get('X-Service-Nonce');
  const signature = req.get('X-Service-Signature');
  if (!timestamp || !nonce || !signature) throw fail('missing_signature_headers');

  const skew = validateTimestamp(timestamp, runtime.clock.now());
  if (!runtime.credentials.hasSeen(keyId)) beforeLookup();
  const credential = await runtime.credentials.find(keyId);
  const canonical = canonicalStringOf(req, timestamp, nonce);
  const holds = isValidSignature(credential?.secret ?? DUMMY_SECRET, canonical, signature);
  if (!credential || !holds || !NONCE.test(nonce)) {
    notes.expected = canonical;
    // The canonical string is the caller's own request: it teaches signing and nothing about keys.
    throw fail('invalid_signature', {
      ...(isSandboxKeyId(keyId) && { details: { canonical_string: canonical } }),
    });
  }
  notes.verified = true;
  return { credential, nonce, nonceSeconds: NONCE_SECONDS + skew };
}

/** @throws credential_not_active, partner_not_active */
function assertActive(credential: Credential, now: Date): void {
  const expired = credential.expiresAt !== null && credential.expiresAt <= now;
  if (credential.status !== 'active' || expired) throw fail('credential_not_active');
  if (credential.partnerStatus !== 'active') throw fail('partner_not_active');
}

/** Seconds for which the timestamp stays acceptable beyond now; milliseconds are far outside the window. */
function validateTimestamp(timestamp: string, now: Date): number {
  if (!TIMESTAMP.test(timestamp)) throw fail('invalid_timestamp');
  const ahead = Number(timestamp) - Math.floor(now.getTime() / 1_000);
  if (Math.abs(ahead) > MAX_SKEW_SECONDS) throw fail('invalid_timestamp');
  return Math.max(0, ahead);
}

function canonicalStringOf(req: Request, timestamp: string, nonce: string): string {
  const [path = '', ...query] = req.originalUrl.split('?');
  const signed: SignedRequest = {
    method: req.method,
    path,
    query: query.join('?'),
    timestamp,
    nonce,
    body: rawBodyOf(req),
  };
  try {
    return canonicalString(signed);
  } catch (error) {
    if (error instanceof MalformedQuery) {
      throw invalid([{ path: '', message: 'the query has a malformed percent sequence' }]);
    }
    throw error;
  }
}

function authorizationError(
  runtime: ApiServices,
  route: PartnerRoute,
  { credential }: VerifiedRequest,
  address: string | undefined,
): unknown {
  try {
    assertActive(credential, runtime.clock.now());
  } catch (error) {
    return error;
  }
  if (!credential.allows(address)) {
    return fail('forbidden', { message: `This key may not be used from ${address}.` });
  }
  if (!route.scopes.some((scope) => credential.scopes.includes(scope))) {
    return fail('forbidden', {
      message: `This credential lacks the scope "${route.scopes.join('" or "')}".`,
    });
  }
  if (route.sandboxOnly && credential.environment !== 'SANDBOX') {
    return fail('not_found', {
      message: 'This is for the sandbox alone, and this key is a LIVE one. LIVE has nothing here.',
    });
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
 * the time and how far that may be off, then for each the seconds of its nonce, the slots of its
 * window (0: no limit) and a mark of the request. Answers for each -1 when its nonce was seen before, which costs no
 * slot; 0 when it may go on; or the milliseconds after which a slot is free. The mark is there because the connection
 * sends a command again when its answer was lost: a request is no replay of itself. Answers nothing when it is
 * another time here: a clock that was set back would let in what was captured before.
 *
 * Only a request that has a slot leaves its nonce behind, so a credential never keeps more nonces than its limits
 * allow. A request without a slot is refused and did nothing, so there is no replay that its nonce could prevent.
 */
const CONSUME = `
local window = ARGV[1]
if math.abs(tonumber(redis.call('TIME')[1]) - tonumber(ARGV[2])) > tonumber(ARGV[3]) then return {} end
local answers = {}
for i = 1, #KEYS / 2 do
  local nonce, counter = KEYS[2 * i - 1], KEYS[2 * i]
  local seconds, slots, mark = ARGV[3 * i + 1], tonumber(ARGV[3 * i + 2]), ARGV[3 * i + 3]
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

const SEEN_BEFORE = -1;
const CLOCKS_DISAGREE = -2;

/** Of base62: two requests that share a nonce will not share a mark by chance, and memory is spared. */
const MARK_LENGTH = 9;

/** So few that no other command waits long for the script. */
const MAX_TOGETHER = 50;

/**
 * Takes a slot of the credential in `group` and consumes the request's nonce. A request that gets no slot is
 * refused, and its nonce is not stored.
 * @throws replay_detected, rate_limited, service_unavailable when the clocks disagree, or whatever Redis threw
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
  postgresClock,
}: {
  config: Config;
  redis: Redis;
  postgresClock: Clock;
}): NonceConsumer {
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
      const args = [
        String(WINDOW_SECONDS),
        String(Math.floor(postgresClock.now().getTime() / 1_000)),
        String(MAX_CLOCK_DIFFERENCE_SECONDS),
      ];
      for (const { request, group } of consumptions) {
        const slots = config.rateLimits ? slotsOf[group] : 0;
        keys.push(`${prefix}:nonce:${request.nonce}`, `${prefix}:limit:${group}`);
        args.push(String(request.nonceSeconds), String(slots), randomBase62(MARK_LENGTH));
      }
      const answers = (await script(keys, args)) as number[];
      return answers.length === 0 ? consumptions.map(() => CLOCKS_DISAGREE) : answers;
    },
    MAX_TOGETHER,
    Number.POSITIVE_INFINITY,
  );
  return async (request, group) => {
    const wait = await consume({ request, group });
    if (wait === 0) return;
    if (wait === SEEN_BEFORE) throw fail('replay_detected');
    if (wait === CLOCKS_DISAGREE) throw fail('service_unavailable');
    throw tooManyRequests(wait);
  };
}
