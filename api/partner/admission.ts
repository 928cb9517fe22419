import type { Request } from 'express';
import type { Caller } from '../../shared/partners/credential.ts';
import { fail, ServiceError } from '../../shared/platform/errors.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import { createLimiter, type Limiter, type LimitGroup } from '../http/rate-limit.ts';
import {
  burnNonce,
  checkStanding,
  type VerifiedRequest,
  verifySignature,
} from '../http/signature.ts';
import type { PartnerRoute } from './route.ts';

/** Decides whether a request may reach its handler. Nothing of the body is parsed before it says so. */
export type Admission = (route: PartnerRoute, req: Request) => Promise<Caller>;

/**
 * The checks in their documented order: signature, nonce, standing, scope, rate limit, Idempotency-Key.
 * Nonce and rate limit travel to Redis in one round trip.
 */
export function createAdmission(runtime: Runtime): Admission {
  const { config, redis } = runtime;
  const limiters: Record<LimitGroup, Limiter> = {
    search: createLimiter(redis, config, 'search', config.limitSearch),
    write: createLimiter(redis, config, 'write', config.limitWrite),
    reporting: createLimiter(redis, config, 'reporting', config.limitReporting),
    reads: createLimiter(redis, config, 'reads', config.limitReads),
  };
  const failures = createLimiter(redis, config, 'failed-signatures', config.limitFailedSignatures);

  return async (route, req) => {
    const verified = await verifySignature(runtime, req).catch(async (error: unknown) => {
      // A guess costs its address a slot; valid requests from the same address are not touched.
      if (isFailedSignature(error)) await failures.take(req.ip ?? 'unknown');
      throw error;
    });
    await admit(runtime, route, verified, limiters[route.limit]);
    checkIdempotencyKey(route, req);
    const { partnerId, environment, keyId, commissionBps, affiliateId } = verified.credential;
    return { partnerId, environment, keyId, commissionBps, affiliateId };
  };
}

async function admit(
  runtime: Runtime,
  route: PartnerRoute,
  verified: VerifiedRequest,
  limiter: Limiter,
): Promise<void> {
  const { credential } = verified;
  const refusal = refusalOf(runtime, route, verified);
  if (refusal) {
    await burnNonce(runtime, verified);
    throw refusal;
  }
  // Same tick, same pipeline. A replay must not cost the partner a slot, so it is given back.
  const [nonce, slot] = await Promise.allSettled([
    burnNonce(runtime, verified),
    limiter.take(credential.keyId),
  ]);
  if (nonce.status === 'rejected') {
    if (slot.status === 'fulfilled') limiter.giveBack(credential.keyId);
    throw nonce.reason;
  }
  if (slot.status === 'rejected') throw slot.reason;
}

function refusalOf(
  runtime: Runtime,
  route: PartnerRoute,
  { credential }: VerifiedRequest,
): unknown {
  try {
    checkStanding(credential, runtime.clock.now());
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
