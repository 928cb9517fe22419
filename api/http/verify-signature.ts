import type { Request } from 'express';
import { type Credential, isSandboxKeyId } from '../../shared/people/partners/credential.ts';
import {
  canonicalString,
  isValidSignature,
  MalformedQuery,
  type SignedRequest,
} from '../../shared/people/partners/request-signature.ts';
import { fail, invalid } from '../../shared/platform/errors.ts';
import type { Runtime } from '../../shared/runtime.ts';

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

/**
 * Checks the four headers and the signature over the raw request, in the documented order. `beforeLookup` may
 * refuse a request whose key id this process never found, before anything is read for it.
 * @throws missing_credentials, missing_signature_headers, invalid_timestamp, invalid_signature, validation_error
 */
export async function verifySignature(
  runtime: Runtime,
  req: Request,
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
    // The canonical string is the caller's own request: it teaches signing and nothing about keys.
    throw fail('invalid_signature', {
      ...(isSandboxKeyId(keyId) && { details: { canonical_string: canonical } }),
    });
  }
  return { credential, nonce, nonceSeconds: NONCE_SECONDS + skew };
}

/** @throws credential_not_active, partner_not_active */
export function assertActive(credential: Credential, now: Date): void {
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

/** The bytes of the body as they were sent. */
export function rawBodyOf(req: Request): Buffer {
  return Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
}
