import type { Request } from 'express';
import type { Caller } from '../../shared/partners/credential.ts';
import { fail, ServiceError } from '../../shared/platform/errors.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { callerBucket } from '../http/address-bucket.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import { createLimiter } from '../http/rate-limit.ts';
import { assertActive, type VerifiedRequest, verifySignature } from '../http/signature.ts';
import { createNonceConsumer } from './consume-nonce.ts';
import type { PartnerRoute } from './route.ts';

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
