import type { RequestHandler } from 'express';

/** The headers that a page of another origin may send and read. */
const REQUEST_HEADERS = [
  'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-Id',
  // MCP clients send these headers with discovery and registration, too.
  'MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name',
].join(', ');
const EXPOSED_HEADERS =
  'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id, Idempotent-Replayed, Deprecation, Sunset, Link, X-Service-Ignored-Parameters';
const PREFLIGHT_SECONDS = 86_400;

/**
 * Opens the API to pages of every origin (CORS): cookies do not count here, and only clients that hold a bearer token
 * can send it. Preflights cost no slot.
 */
export const allowAllOrigins: RequestHandler = (req, res, next) => {
  res.set('Access-Control-Allow-Origin', '*');
  res.set('Access-Control-Expose-Headers', EXPOSED_HEADERS);
  if (req.method !== 'OPTIONS' || req.get('Access-Control-Request-Method') === undefined) {
    next();
    return;
  }
  res.set('Access-Control-Allow-Methods', 'GET, POST, PUT, DELETE');
  res.set('Access-Control-Allow-Headers', REQUEST_HEADERS);
  res.set('Access-Control-Max-Age', String(PREFLIGHT_SECONDS));
  res.status(204).end();
};
