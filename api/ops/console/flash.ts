import type { Request, Response } from 'express';
import { addMs, MINUTE } from '../../../shared/platform/clock.ts';
import type { Runtime } from '../../../shared/runtime.ts';
import { cookieOf, opsCookie } from '../ops-cookie.ts';
import type { Flash } from './layout.ts';

const COOKIE = 'ops_flash';
const PURPOSE = 'ops-flash';
const LASTS_MS = MINUTE;

type Deps = Pick<Runtime, 'tokens' | 'clock' | 'config'>;

/** Leaves a word for the page that comes next in this browser, signed so that nobody else can. */
export async function setFlash(deps: Deps, res: Response, text: string): Promise<void> {
  const expires = addMs(deps.clock.now(), LASTS_MS);
  const token = await deps.tokens.sign(PURPOSE, { text, for: res.locals.actor }, expires);
  res.cookie(COOKIE, token, { ...opsCookie(deps.config), maxAge: LASTS_MS });
}

/** Takes what was left for this account, so that it is said once. */
export async function takeFlash(
  deps: Deps,
  req: Request,
  res: Response,
): Promise<Flash | undefined> {
  const token = cookieOf(req, COOKIE);
  if (!token) return undefined;
  res.clearCookie(COOKIE, opsCookie(deps.config));
  const claims = await deps.tokens.verify(PURPOSE, token);
  if (typeof claims === 'string' || claims.for !== res.locals.actor) return undefined;
  return { text: String(claims.text) };
}
