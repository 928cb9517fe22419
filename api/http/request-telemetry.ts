import type { Request, RequestHandler } from 'express';
import type { Config } from '../../shared/platform/config/config.ts';
import { randomBase62 } from '../../shared/platform/ids.ts';
import { beginSpan, isTraceparent } from '../../shared/platform/observability/tracing.ts';
import type { ApiServices } from '../compose-api.ts';
import type { Step } from './middleware.ts';

const ACCEPTABLE = /^[A-Za-z0-9._-]{1,128}$/;

/** Gives every request an id; keeps the caller's `X-Request-Id` if it is harmless. */
export const requestId: Step = (req, res) => {
  const given = req.get('X-Request-Id');
  res.locals.requestId = given && ACCEPTABLE.test(given) ? given : `req_${randomBase62(22)}`;
  res.setHeader('X-Request-Id', res.locals.requestId);
};

const KEY_ID = /^pk_(sandbox|test|live)_[0-9A-Za-z]{1,64}$/;

/** Returns the header only if it looks like a public key id: partners have been known to put the secret there. */
function keyIdOf(req: Request): string | undefined {
  const given = req.get('X-Service-Key-Id');
  return given !== undefined && KEY_ID.test(given) ? given : undefined;
}

/** Times every request by its route's pattern (never by its path, which holds ids) and writes one log line. */
export function measureRequests({ metrics, log }: ApiServices): Step {
  // No field of the line can hold a secret, and searching each for one took a twentieth of a signed read.
  const lines = log.child({}, { redact: [] });
  return (req, res) => {
    const started = performance.now();
    res.once('finish', () => {
      const elapsed = performance.now() - started;
      const route: string = res.locals.route ?? 'other';
      metrics.httpSeconds.observe(
        { method: req.method, route, status: res.statusCode },
        elapsed / 1_000,
      );
      lines.info(
        {
          request_id: res.locals.requestId,
          method: req.method,
          route,
          status: res.statusCode,
          ms: Math.round(elapsed * 10) / 10,
          key_id: keyIdOf(req),
          trace_id: res.locals.traceId,
        },
        'request',
      );
    });
  };
}

/**
 * Makes every request a span named by its route's pattern. Ignores a caller's `traceparent`, since anyone could join or
 * force traces with it, unless TRACE_TRUST_CALLERS says that our own gateway sets it.
 */
export function traceRequests({ traceTrustCallers }: Config): RequestHandler {
  return (req, res, next) => {
    const given = traceTrustCallers === 'true' ? req.get('traceparent') : undefined;
    const span = beginSpan({
      name: req.method,
      kind: 'server',
      parent: given !== undefined && isTraceparent(given) ? given : null,
      facts: { 'http.request.method': req.method },
    });
    if (!span) return next();
    res.locals.traceId = span.traceId;
    // `close` follows every end, even if the client disconnected.
    res.once('close', () => {
      const route: string = res.locals.route ?? 'other';
      span.end({
        name: `${req.method} ${route}`,
        facts: {
          'http.route': route,
          'http.response.status_code': res.statusCode,
          'marketplace.request_id': res.locals.requestId,
        },
        failed: res.statusCode >= 500 || !res.writableFinished,
      });
    });
    span.within(next);
  };
}
