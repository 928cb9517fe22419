import type { Request } from 'express';
import type { Runtime } from '../../shared/runtime.ts';
import type { Step } from './in-turn.ts';

const KEY_ID = /^pk_(sandbox|test|live)_[0-9A-Za-z]{1,64}$/;

/** Only what looks like a public key id: partners have been known to put the secret there. */
function keyIdOf(req: Request): string | undefined {
  const given = req.get('X-Service-Key-Id');
  return given !== undefined && KEY_ID.test(given) ? given : undefined;
}

/** Times every request by its route's pattern (never by its path, which holds ids) and writes one log line. */
export function measureRequests({ metrics, log }: Runtime): Step {
  return (req, res) => {
    const started = performance.now();
    res.once('finish', () => {
      const elapsed = performance.now() - started;
      const route: string = res.locals.route ?? 'other';
      metrics.httpSeconds.observe(
        { method: req.method, route, status: res.statusCode },
        elapsed / 1_000,
      );
      log.info(
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
