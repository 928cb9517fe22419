import type { RequestHandler } from 'express';

/**
 * Makes a request look as if it came straight to the issuer: the library builds addresses from the Host
 * header and the request line, and both are whatever the caller wrote. `path` is the one it knows.
 */
export function rewriteToIssuer(
  { baseUrl }: { baseUrl: string },
  path: (req: { path: string }) => string = (req) => req.path,
): RequestHandler {
  const { host, protocol } = new URL(baseUrl);
  return (req, _res, next) => {
    req.headers.host = host;
    req.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    delete req.headers['x-forwarded-host'];
    const at = req.originalUrl.indexOf('?');
    req.url = path(req) + (at === -1 ? '' : req.originalUrl.slice(at));
    req.originalUrl = req.url;
    next();
  };
}
