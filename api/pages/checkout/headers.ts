import type { RequestHandler, Response } from 'express';

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
