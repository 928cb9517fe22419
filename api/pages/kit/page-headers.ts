import type { RequestHandler, Response } from 'express';

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

/** Origins that can stand in a policy as they are; a host may hold characters that would end the directive. */
const PLAIN_ORIGIN = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

function checkoutPolicy(formTargets: readonly string[]): string {
  return [
    `default-src 'none'`,
    `style-src 'self'`,
    `script-src 'self'`,
    `img-src data:`,
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}

/** The address of these pages opens them: it goes into no cache, no index and no other site's logs. */
export const checkoutHeaders: RequestHandler = (_req, res, next) => {
  res.set({
    'Content-Security-Policy': checkoutPolicy([]),
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex, nofollow',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  });
  next();
};

/**
 * Allows the forms of this page to end, by redirects, at these addresses: browsers hold the whole chain of a
 * form's redirects against the policy of the page that it is on. `provider`: any HTTPS address, too.
 */
export function allowFormTargets(
  res: Response,
  targets: readonly (string | null)[],
  provider: boolean,
): void {
  const origins = targets
    .filter((target) => target !== null)
    .map((target) => new URL(target).origin)
    .filter((origin) => PLAIN_ORIGIN.test(origin));
  // A provider's payment page may be on a domain of its own.
  res.set('Content-Security-Policy', checkoutPolicy([...(provider ? ['https:'] : []), ...origins]));
}
