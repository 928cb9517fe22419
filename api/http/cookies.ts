import type { Request } from 'express';
import type { Config } from '../../shared/platform/config/config.ts';

type Served = Pick<Config, 'nodeEnv' | 'baseUrl'>;

/** A cookie's value as the browser sent it. */
export function cookieOf(req: Request, name: string): string | undefined {
  const pairs = (req.get('Cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Whether the service is served over TLS, so that cookies must be `Secure`. */
export function hasSecureCookies({ nodeEnv, baseUrl }: Served): boolean {
  return nodeEnv === 'production' || baseUrl.startsWith('https:');
}

/**
 * The name of a cookie of the whole site: over TLS with `__Host-`, which browsers take from this very host alone, over
 * TLS, for all paths (RFC 6265bis section 4.1.3.2). So no other host below our domain can plant one.
 */
export function hostCookie(config: Served, name: string): string {
  return hasSecureCookies(config) ? `__Host-${name}` : name;
}

/** The same for a cookie of one path: over TLS with `__Secure-`. */
export function pathCookie(config: Served, name: string): string {
  return hasSecureCookies(config) ? `__Secure-${name}` : name;
}

/** Options of a host cookie: `HttpOnly`, for all paths, and `Secure` when served over TLS. */
export function hostCookieOptions<SameSite extends 'lax' | 'strict'>(
  config: Served,
  sameSite: SameSite,
) {
  return { httpOnly: true, sameSite, secure: hasSecureCookies(config), path: '/' } as const;
}
