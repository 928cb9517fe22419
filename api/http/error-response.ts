import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { transientDatabaseError } from '../../shared/platform/database/database-errors.ts';
import { fail, invalid, ServiceError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/observability/logger.ts';
import { isRedisUnavailable } from '../../shared/platform/redis/redis.ts';

/** Postgres error codes for text it can't store, in case such text gets past validation. */
const BAD_TEXT = new Set(['22021', '22P05']);
const REDIS_FAULT = { retryAfterSeconds: 1 };

/** Responds with 404 for every path without a route. */
export const notFound: RequestHandler = (req, _res, next) => {
  const slash = /.\/$/.test(req.path) ? ' Paths do not end with a slash.' : '';
  next(fail('not_found', { message: `There is nothing at this path.${slash}` }));
};

/** Turns any thrown error into the error envelope; an error outside the catalogue becomes an opaque 500. */
export function errorResponse(log: Logger): ErrorRequestHandler {
  return (thrown, req, res, _next) => {
    const error = prepareErrorResponse(log, thrown, req, res);
    if (!error) return;
    res.status(error.status).json(errorEnvelope(error, res.locals.requestId ?? ''));
  };
}

/**
 * Returns the error that an error handler should send, in its own format. Logs server faults and sets `Retry-After`.
 * Returns undefined if the response has already started: the response is then cut off, so that the client does not take
 * it for complete.
 */
export function prepareErrorResponse(
  log: Logger,
  thrown: unknown,
  req: Request,
  res: Response,
): ServiceError | undefined {
  const error = toServiceError(thrown);
  const requestId: string = res.locals.requestId ?? '';
  res.locals.errorCode = error.code;
  // Logs the route's pattern, because the path may hold a token.
  logFault(log, error, { requestId, method: req.method, route: res.locals.route ?? 'other' });
  if (res.headersSent) {
    res.destroy();
    return undefined;
  }
  if (error.retryAfterSeconds !== undefined) {
    res.set('Retry-After', String(error.retryAfterSeconds));
  }
  return error;
}

/** The error envelope of every API. */
export function errorEnvelope(error: ServiceError, requestId: string) {
  return {
    error: {
      code: error.code,
      message: error.message,
      request_id: requestId,
      ...(error.details !== undefined && { details: error.details }),
    },
  };
}

/** Logs a server fault; callers' mistakes are not logged. */
export function logFault(
  log: Logger,
  error: ServiceError,
  { requestId, method, route }: { requestId: string; method: string; route: string },
): void {
  if (error.status < 500) return;
  log.error({ err: error.cause ?? error, request_id: requestId, method, route }, 'request failed');
}

/** Maps anything thrown during a request to an error of the catalogue. */
export function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (thrown instanceof URIError)
    return invalid([{ path: '', message: 'the path is not valid percent-encoding' }]);
  const error = thrown as { type?: string; code?: string; status?: number };
  if (error?.type !== undefined && (error.status ?? 500) < 500) return unreadableBody(error);
  const code = error?.code ?? '';
  if (BAD_TEXT.has(code))
    return invalid([{ path: '', message: 'contains characters that cannot be stored' }]);
  const fault =
    transientDatabaseError(thrown) ?? (isRedisUnavailable(thrown) ? REDIS_FAULT : undefined);
  if (fault) {
    const { retryAfterSeconds } = fault;
    return fail('service_unavailable', { retryAfterSeconds, cause: thrown });
  }
  return fail('internal_error', { cause: thrown });
}

/** Returns the error for a body that Express's parsers refused. */
function unreadableBody({
  type,
  status,
  limit,
}: {
  type?: string;
  status?: number;
  limit?: number;
}): ServiceError {
  if (type === 'encoding.unsupported') {
    return fail('unsupported_media_type', { message: 'Send the body without Content-Encoding.' });
  }
  if (type === 'request.aborted' || type === 'request.size.invalid') {
    return invalid([{ path: '', message: 'the body ended before its Content-Length' }]);
  }
  if (type === 'entity.too.large' && limit !== undefined) {
    return fail('payload_too_large', { message: `The body is over ${limit} bytes. Send less.` });
  }
  if (status === 413) return fail('payload_too_large');
  if (status === 415) return fail('unsupported_media_type', { message: 'Send the body in UTF-8.' });
  return invalid([{ path: '', message: 'the body cannot be read' }]);
}

/** Responds to every other method of a path with 405 and `Allow` (RFC 9110). */
export function onlyMethods(allowed: readonly string[]): RequestHandler {
  // Express serves HEAD wherever it serves GET.
  const all = allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed;
  const listed = [...new Set(all)].join(', ');
  return (_req, res, next) => {
    res.set('Allow', listed);
    next(fail('method_not_allowed', { message: `This path only supports ${listed}.` }));
  };
}
