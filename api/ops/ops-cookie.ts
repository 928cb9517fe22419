import type { Request } from 'express';
import type { Config } from '../../shared/platform/config.ts';

/** A cookie's value as the browser sent it. */
export function cookieOf(req: Request, name: string): string | undefined {
  const pairs = (req.get('Cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** For /ops only, out of reach of scripts and other sites, and over HTTPS wherever we are served so. */
export function opsCookie(config: Config) {
  return {
    httpOnly: true,
    sameSite: 'strict',
    secure: config.nodeEnv === 'production' || config.baseUrl.startsWith('https:'),
    path: '/ops',
  } as const;
}
