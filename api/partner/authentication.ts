import type { Request, Response } from 'express';
import { type Credential, isSandboxKeyId } from '../../shared/people/partners/credential.ts';
import {
  canonicalString,
  isValidSignature,
  MalformedQuery,
  type SignedRequest,
} from '../../shared/people/partners/request-signature.ts';
import { fail, invalid, ServiceError } from '../../shared/platform/errors.ts';
import type { ApiServices } from '../compose-api.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import { rawBodyOf } from '../http/json-body.ts';
import {
  callerBucket,
  createLimiter,
  rateLimitHeaders,
  requireWithinLimit,
} from '../http/rate-limit.ts';
import { notesOf, type RequestNotes } from './log-requests.ts';
import type { PartnerCaller, PartnerRoute } from './partner-route.ts';

/** How far a timestamp may be from now, in seconds, in either direction. */
const MAX_SKEW_SECONDS = 300;
const NONCE_SECONDS = 2 * MAX_SKEW_SECONDS;
const TIMESTAMP = /^[0-9]{1,12}$/;
const NONCE = /^[\x21-\x7e]{1,128}$/;
/** Used for the HMAC if the key id is unknown, so that the response takes the same time. */
const DUMMY_SECRET = 'sk_sandbox_no-such-credential';

/** A request with a valid signature. Its nonce is not consumed yet. */
interface VerifiedRequest {
  credential: Credential;
  nonce: string;
  /** How long the nonce must be remembered, in seconds. */
  nonceSeconds: number;
}

/** Decides whether a request may reach its handler. Nothing in the body is parsed before that. */
export type AuthenticateRequest = (
  route: PartnerRoute,
  req: Request,
  res: Response,
) => Promise<PartnerCaller>;

/**
 * Runs the checks in their documented order: signature, nonce, rate limit, status, address, scope, Idempotency-Key.
 * Nonce and rate limits take one Redis command, shared by the requests of one tick.
 */
export function createAuthenticator(runtime: ApiServices): AuthenticateRequest {
  const { config, redis, requestLimits } = runtime;
  const failures = createLimiter(redis, config, 'failed-signatures', config.limitFailedSignatures);

  return async (route, req, res) => {
    const notes = notesOf(res);
    const beforeLookup = () => failures.check(callerBucket(req));
    const verified = await verifySignature(runtime, req, notes, beforeLookup).catch(
      async (error: unknown) => {
        // A failed signature costs the address a slot; valid requests from the same address are not affected.
        if (isFailedSignature(error)) await failures.take(callerBucket(req));
        throw error;
      },
    );
    const refusal = authorizationError(runtime, route, verified, req.ip);
    // Refused requests count toward the key's limit, too.
    const { partnerId, environment, keyId } = verified.credential;
    const used = { nonce: verified.nonce, seconds: verified.nonceSeconds };
    const sparesPartner = refusal !== undefined;
    const requester = { partnerId, environment, by: keyId, sparesPartner };
    const standing = await requestLimits.consume(requester, route.limit, used);
    if (standing) {
      res.set(rateLimitHeaders(standing));
      requireWithinLimit(standing);
    }
    if (refusal) throw refusal;
    runtime.credentialUse.note(verified.credential.keyId);
    checkIdempotencyKey(route, req);
    const { commissionBps, deliveryMethod, affiliateId, scopes } = verified.credential;
    return {
      partnerId,
      environment,
      keyId,
      commissionBps,
      deliveryMethod,
      affiliateId,
      scopes,
    };
  };
}

/**
 * Checks the four headers and the signature over the raw request, in the documented order. `beforeLookup` may refuse a
 * request whose key id this process never found, before anything is read for it.
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
  const isNonce = NONCE.test(nonce);
  if (!credential || !holds || !isNonce) {
    notes.expected = canonical;
    // The canonical string is built from the caller's own request: it helps debug signing and reveals nothing about
    // keys.
    throw fail('invalid_signature', {
      // With such a nonce, the caller's canonical string may well equal ours.
      ...(!isNonce && {
        message: 'X-Service-Nonce must be 1 to 128 visible ASCII characters, such as a UUID v4.',
      }),
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

/** Returns for how many seconds from now the timestamp stays valid; one in milliseconds is far outside the window. */
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
      message: 'This exists only in the sandbox, and this key is for LIVE.',
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
