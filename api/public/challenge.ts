import type { ErrorRequestHandler } from 'express';
import { ServiceError } from '../../shared/platform/errors.ts';

/**
 * Tells with a 401 where a client learns how to sign its user in (RFC 9728), with a 403 which scope to ask
 * for, and names the fault only of a token that was sent (RFC 6750 section 3).
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
