import type { Request } from 'express';

/** A cookie's value as the browser sent it. */
export function cookieOf(req: Request, name: string): string | undefined {
  const pairs = (req.get('Cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
