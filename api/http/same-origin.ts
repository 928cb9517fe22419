import type { Request, RequestHandler } from 'express';
import type { Config } from '../../shared/platform/config/config.ts';
import { fail } from '../../shared/platform/errors.ts';

const HARMLESS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses cross-site requests that carry our cookie (CSRF). Every current browser sends the origin of a POST; a request
 * without an origin is not from a browser. No header the sender chooses skips the check, not even `Authorization`:
 * whether the cookie or a token authenticates is decided later.
 */
export function sameOriginOnly(config: Config): RequestHandler {
  const ours = new URL(config.baseUrl).origin;
  return (req, _res, next) => {
    if (HARMLESS.has(req.method)) return next();
    if (!isOurs(req, ours)) {
      throw fail('forbidden', { message: 'This request came from another site.' });
    }
    next();
  };
}

function isOurs(req: Request, ours: string): boolean {
  const site = req.get('Sec-Fetch-Site');
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const origin = req.get('Origin');
  if (origin === undefined || origin === ours) return true;
  return URL.canParse(origin) && new URL(origin).host === req.get('Host');
}
