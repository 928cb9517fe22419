import type { Request } from 'express';
import type { Config } from '../../shared/platform/config/config.ts';

type Served = Pick<Config, 'nodeEnv' | 'baseUrl'>;

/** Returns a cookie's value as the browser sent it. */
export function cookieOf(req: Request, name: string): string | undefined {
  const pairs = (req.get('Cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Returns whether the service is served over TLS, so that cookies must be `Secure`. */
export function hasSecureCookies({ nodeEnv, baseUrl }: Served): boolean {
  return nodeEnv === 'production' || baseUrl.startsWith('https:');
}

/**
 * Returns the name of a cookie for the whole site. Over TLS the name starts with `__Host-`, which browsers accept only
 * from this exact host, over TLS and for all paths (RFC 6265bis section 4.1.3.2), so no other host below our domain can
 * plant one.
 */
export function hostCookie(config: Served, name: string): string {
  return hasSecureCookies(config) ? `__Host-${name}` : name;
}

/** Like {@link hostCookie}, for a cookie of one path: the prefix over TLS is `__Secure-`. */
export function pathCookie(config: Served, name: string): string {
  return hasSecureCookies(config) ? `__Secure-${name}` : name;
}

/** Returns the options of a host cookie: `HttpOnly`, for all paths, and `Secure` when served over TLS. */
export function hostCookieOptions<SameSite extends 'lax' | 'strict'>(
  config: Served,
  sameSite: SameSite,
) {
  return { httpOnly: true, sameSite, secure: hasSecureCookies(config), path: '/' } as const;
}
