import type { RequestHandler } from 'express';
import { deprecationHeaders } from '../http/deprecation.ts';

const SINCE = '2026-11-27';
const SUNSET = '2027-11-27';

/** Returns the new path of a moved path below `/api/partner`; undefined for any other. */
function newPathOf(method: string, path: string): string | undefined {
  if (/^\/webhooks(\/|$)/.test(path)) {
    // Only the registration path has no version (SPEC, "Versioning").
    return method === 'PUT' && path === '/webhooks' ? undefined : `/v1${path}`;
  }
  return method === 'PUT' && path === '/v1/webhooks' ? '/webhooks' : undefined;
}

/**
 * Redirects a moved path to its new path (308, with deprecation headers) until the sunset. The signature covers the
 * path, so clients have to sign again.
 * @param docsUrl the page that lists the moved paths
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
