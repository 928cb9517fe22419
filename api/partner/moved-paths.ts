import type { RequestHandler } from 'express';
import { deprecationHeaders } from '../http/deprecation.ts';

const SINCE = '2026-11-27';
const SUNSET = '2027-11-27';

/** The new path of a path below `/api/partner` that has moved; undefined for any other. */
function newPathOf(method: string, path: string): string | undefined {
  if (/^\/webhooks(\/|$)/.test(path)) {
    // Registration alone has no version in its path (SPEC, "Versioning").
    return method === 'PUT' && path === '/webhooks' ? undefined : `/v1${path}`;
  }
  return method === 'PUT' && path === '/v1/webhooks' ? '/webhooks' : undefined;
}

/**
 * Redirects a path that has moved to its new one (308, with deprecation headers), until the sunset. The signature
 * covers the path, so clients have to sign again.
 * @param docsUrl the page that tells which paths have moved
 */
export function redirectMovedPaths(docsUrl: string): RequestHandler {
  const headers = deprecationHeaders({ since: SINCE, sunset: SUNSET, link: docsUrl });
  return (req, res, next) => {
    const newPath = newPathOf(req.method, req.path);
    if (newPath === undefined) return next();
    const query = req.url.slice(req.path.length);
    res
      .status(308)
      .set({ ...headers, Location: `${req.baseUrl}${newPath}${query}` })
      .end();
  };
}
