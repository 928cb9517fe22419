import type { Response } from 'express';

/**
 * Nothing comes from elsewhere. A page that `reaches` nothing can't connect to anything either, not even
 * to us: what is typed into it stays in it. The viewer shows pictures that it holds as data.
 */
function portalPolicy(reaches: 'nothing' | 'ourselves'): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${reaches === 'nothing' ? "'none'" : "'self'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The headers of a page of the portal; `seconds` is how long it may be kept. */
export function setPortalHeaders(
  res: Response,
  route: string,
  reaches: 'nothing' | 'ourselves',
  seconds = 300,
): void {
  res.locals.route = route;
  res.set({
    'Content-Security-Policy': portalPolicy(reaches),
    'Cache-Control': `public, max-age=${seconds}`,
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  });
  res.type('html');
}
