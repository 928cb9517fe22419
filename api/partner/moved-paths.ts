import { deprecationHeaders } from '../http/deprecation.ts';
import type { Step } from '../http/middleware.ts';

const SINCE = '2026-11-27';
const SUNSET = '2027-11-27';

/** Methods that a path serves, besides those of its routes, because their route moved elsewhere. */
export const MOVED_METHODS = { '/v1/webhooks': ['PUT'] } as const;

/** Returns the new path of a moved path below `/api/partner`; undefined for any other. */
export function newPathOf(method: string, path: string): string | undefined {
  if (/^\/webhooks(\/|$)/.test(path)) {
    // Only the registration path has no version (SPEC, "Versioning").
    return method === 'PUT' && path === '/webhooks' ? undefined : `/v1${path}`;
  }
  return method === 'PUT' && path === '/v1/webhooks' ? '/webhooks' : undefined;
}

/**
 * Serves a moved path by the route at its new path, with deprecation headers, until the sunset. It does not redirect:
 * the signature covers the path, and HTTP clients that follow a redirect do not sign again.
 * @param docsUrl the page that lists the moved paths
 */
export function serveMovedPaths(docsUrl: string): Step {
  const headers = deprecationHeaders({ since: SINCE, sunset: SUNSET, link: docsUrl });
  return (req, res) => {
    const newPath = newPathOf(req.method, req.path);
    if (newPath === undefined) return;
    res.set(headers);
    // Only `originalUrl` keeps the path that was signed.
    req.url = newPath + req.url.slice(req.path.length);
  };
}
