import type { ErrorRequestHandler, Request } from 'express';
import { fail, ServiceError } from '../../shared/platform/errors.ts';
import { callerBucket } from '../http/rate-limit.ts';

/**
 * The caller of the public API: anyone at an address, or a person who signed in through a client. `bucket` is the
 * address's rate-limit key.
 */
export type PublicCaller =
  | { kind: 'anonymous'; bucket: string }
  | { kind: 'user'; bucket: string; userId: string; clientId: string; scopes: readonly string[] };

/** Returns what an access token stands for; undefined if it is unknown, expired or revoked. */
export type VerifyAccessToken = (
  token: string,
) => Promise<{ userId: string; clientId: string; scopes: readonly string[] } | undefined>;

const BEARER = /^Bearer +([\w~+/.-]+=*) *$/i;

export function anonymousCaller(req: Request): PublicCaller {
  return { kind: 'anonymous', bucket: callerBucket(req) };
}

/** Identifies the caller by the request's bearer token (RFC 6750). @throws invalid_token */
export async function callerOf(req: Request, verify: VerifyAccessToken): Promise<PublicCaller> {
  const anonymous = anonymousCaller(req);
  const header = req.get('Authorization');
  if (header === undefined) return anonymous;
  const [, token] = BEARER.exec(header) ?? [];
  const grant = token && (await verify(token));
  if (!grant) {
    throw fail('invalid_token', {
      message: 'The access token is unknown, expired or revoked. Refresh it, or sign in again.',
    });
  }
  const { userId, clientId, scopes } = grant;
  return { kind: 'user', bucket: anonymous.bucket, userId, clientId, scopes };
}

/** @throws invalid_token (nobody is signed in), forbidden (the token was not granted the scope) */
export function requireScope(caller: PublicCaller, scope: string): void {
  if (caller.kind === 'anonymous') {
    throw fail('invalid_token', {
      message: `Sign in: send an access token that was granted the scope ${scope}.`,
    });
  }
  if (caller.scopes.includes(scope)) return;
  throw fail('forbidden', {
    message: `The access token lacks the scope ${scope}. Sign in again and ask for it.`,
  });
}

/** Returns whether this caller may see real prices. */
export function seesPrices(caller: PublicCaller): boolean {
  return caller.kind === 'user' && caller.scopes.includes('pricing:read');
}

/** Returns the signed-in user of a call whose route requires a scope. @throws invalid_token when nobody is signed in */
export function userOf(caller: PublicCaller): string {
  if (caller.kind === 'anonymous') throw fail('invalid_token');
  return caller.userId;
}

/**
 * Adds a challenge to errors: a 401 says where a client learns how to sign its user in (RFC 9728), a 403 which scope to
 * request. Only a token that was sent gets an error code (RFC 6750 section 3).
 */
export function bearerChallenge({ baseUrl }: { baseUrl: string }): ErrorRequestHandler {
  const metadata = `Bearer resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`;
  return (error, req, res, next) => {
    const status = error instanceof ServiceError ? error.status : undefined;
    const sent = req.get('Authorization') !== undefined;
    const scope: string | undefined = res.locals.requiredScope;
    const asking = scope ? `, scope="${scope}"` : '';
    if (status === 401) {
      res.set('WWW-Authenticate', `${metadata}${sent ? ', error="invalid_token"' : ''}${asking}`);
    } else if (status === 403 && scope) {
      res.set('WWW-Authenticate', `${metadata}, error="insufficient_scope"${asking}`);
    }
    next(error);
  };
}
