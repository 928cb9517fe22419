import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { transientDatabaseError } from '../../shared/platform/database/database-errors.ts';
import { fail, invalid, ServiceError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/observability/logger.ts';

/** Text that Postgres can't store, should it get past validation. */
const BAD_TEXT = new Set(['22021', '22P05']);
const REDIS_FAULT = { retryAfterSeconds: 1 };
const REDIS_UNAVAILABLE =
  /max retries per request|isn't writeable|command timed out|connection is closed|redis connection is not ready/i;
/** What the client says of a Redis Cluster whose nodes are changing places. */
const REDIS_CLUSTER_UNAVAILABLE =
  /command aborted|cluster isn't ready|cluster is (?:ended|disconnect)|none of startup nodes|too many cluster redirections|node is disconnected|failed to refresh slots|same slots allocation group/i;
/** It answers, and can't do its work now: full, loading, a replica, cut off from its own. */
const REDIS_REPLY_UNAVAILABLE =
  /\b(OOM|READONLY|LOADING|MISCONF|MASTERDOWN|CLUSTERDOWN|NOREPLICAS|TRYAGAIN|MOVED|UNBLOCKED)\b/;

/** 404 for every path that no route answers. */
export const notFound: RequestHandler = (_req, _res, next) => {
  next(fail('not_found', { message: 'There is nothing at this path.' }));
};

/** Turns whatever was thrown into the one error envelope; what is not ours becomes an opaque 500. */
export function errorResponse(log: Logger): ErrorRequestHandler {
  return (thrown, req, res, _next) => {
    const error = prepareErrorResponse(log, thrown, req, res);
    if (!error) return;
    res.status(error.status).json(errorEnvelope(error, res.locals.requestId ?? ''));
  };
}

/**
 * What an error handler is to answer, in its own form: a fault of ours is logged, and a wait stands in
 * `Retry-After`. Undefined when the answer has begun; it is broken off then, so that nobody takes it for whole.
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
  // The pattern of the route: a path can hold a token.
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

/** The one shape of every error. */
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

/** Writes a line for what went wrong on our side; a caller's mistake leaves none. */
export function logFault(
  log: Logger,
  error: ServiceError,
  { requestId, method, route }: { requestId: string; method: string; route: string },
): void {
  if (error.status < 500) return;
  log.error({ err: error.cause ?? error, request_id: requestId, method, route }, 'request failed');
}

/** The catalogue error for anything that can be thrown on the way through a request. */
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

/** What the body readers of Express refused, before anything of ours saw it. */
function unreadableBody({ type, status }: { type?: string; status?: number }): ServiceError {
  if (type === 'encoding.unsupported') {
    return fail('unsupported_media_type', { message: 'Send the body without Content-Encoding.' });
  }
  if (type === 'request.aborted' || type === 'request.size.invalid') {
    return invalid([{ path: '', message: 'the body ended before its Content-Length' }]);
  }
  if (status === 413) return fail('payload_too_large');
  if (status === 415) return fail('unsupported_media_type', { message: 'Send the body in UTF-8.' });
  return invalid([{ path: '', message: 'the body cannot be read' }]);
}

/** Whether `thrown` says that Redis can't be asked at the moment. */
export function isRedisUnavailable(thrown: unknown): boolean {
  const error = thrown as { name?: string; message?: string };
  const message = error?.message ?? '';
  if (error?.name === 'ReplyError') return REDIS_REPLY_UNAVAILABLE.test(message);
  return (
    error?.name === 'MaxRetriesPerRequestError' ||
    REDIS_UNAVAILABLE.test(message) ||
    REDIS_CLUSTER_UNAVAILABLE.test(message)
  );
}

/** For what comes to a path by another method than the ones that it answers: 405 with `Allow` (RFC 9110). */
export function onlyMethods(allowed: readonly string[]): RequestHandler {
  const listed = allowed.join(', ');
  return (_req, res, next) => {
    res.set('Allow', listed);
    next(fail('method_not_allowed', { message: `This path answers ${listed}.` }));
  };
}
