import type { ErrorRequestHandler } from 'express';
import type { ServiceError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { prepareErrorResponse } from '../http/error-response.ts';

/** What was refused before the library saw it, in the shape of RFC 6749 section 5.2. */
export function oauthErrorResponse(log: Logger): ErrorRequestHandler {
  return (thrown, req, res, _next) => {
    const error = prepareErrorResponse(log, thrown, req, res);
    if (!error) return;
    res.status(error.status).set('Cache-Control', 'no-store');
    res.json({ error: codeOf(error), error_description: error.message });
  };
}

function codeOf({ status }: ServiceError): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}
