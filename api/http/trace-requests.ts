import type { RequestHandler } from 'express';
import type { Config } from '../../shared/platform/config.ts';
import { beginSpan, isTraceparent } from '../../shared/platform/tracing.ts';

/**
 * Makes every request a span, named by its route's pattern. A caller's `traceparent` is passed over, since
 * anybody could join or force traces with it, unless TRACE_TRUST_CALLERS says that a gateway of ours sets it.
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
    // `close` comes after every end, also when the caller went away.
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
