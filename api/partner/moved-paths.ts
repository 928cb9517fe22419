import type { RequestHandler } from 'express';
import { deprecationHeaders } from '../http/deprecation.ts';

const SINCE = '2026-11-27';
const SUNSET = '2027-11-27';

/** Where a path below `/api/partner` has moved to; undefined when it is at home. */
function homeOf(method: string, path: string): string | undefined {
  if (/^\/webhooks(\/|$)/.test(path)) {
    // Registration alone has no version in its path (SPEC, "Versioning").
    return method === 'PUT' && path === '/webhooks' ? undefined : `/v1${path}`;
  }
  return method === 'PUT' && path === '/v1/webhooks' ? '/webhooks' : undefined;
}

/**
 * Sends callers of a path that has moved to its home (308, with the headers of what is deprecated), until the sunset.
 * The signature covers the path: the request is to be signed again.
 * @param docsUrl the page that tells which paths have moved
 */
export function redirectMovedPaths(docsUrl: string): RequestHandler {
  const headers = deprecationHeaders({ since: SINCE, sunset: SUNSET, link: docsUrl });
  return (req, res, next) => {
    const home = homeOf(req.method, req.path);
    if (home === undefined) return next();
    const query = req.url.slice(req.path.length);
    res
      .status(308)
      .set({ ...headers, Location: `${req.baseUrl}${home}${query}` })
      .end();
  };
}
