import type { ErrorRequestHandler } from 'express';
import { ServiceError } from '../../shared/platform/errors.ts';

/** Tells with a 401 where a client learns how to sign its user in (RFC 6750, RFC 9728). */
export function challenge({ baseUrl }: { baseUrl: string }): ErrorRequestHandler {
  const metadata = `${baseUrl}/.well-known/oauth-protected-resource`;
  return (error, _req, res, next) => {
    if (error instanceof ServiceError && error.status === 401) {
      res.set('WWW-Authenticate', `Bearer resource_metadata="${metadata}"`);
    }
    next(error);
  };
}
