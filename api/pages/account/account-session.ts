import type { Request, RequestHandler, Response } from 'express';
import type { Database } from '../../../shared/messaging/unit-of-work/database.ts';
import {
  findSession,
  isStale,
  type OpenedSession,
  type OwnSession,
  signOut,
} from '../../../shared/people/users/user-session.ts';
import type { Config } from '../../../shared/platform/config/config.ts';
import { fail } from '../../../shared/platform/errors.ts';
import type { ApiServices } from '../../compose-api.ts';
import { cookieOf, hostCookie, hostCookieOptions } from '../../http/cookies.ts';
import { requireWithinLimit } from '../../http/rate-limit.ts';
import { returnPathUnder } from '../../http/return-path.ts';

const COOKIE = 'account_session';
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const HOME = '/account';

/** Returns the browser's session token, for users' own pages. */
export function sessionTokenOf(config: Config, req: Request): string | undefined {
  const token = cookieOf(req, hostCookie(config, COOKIE));
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

/** Gives a session to the browser; any session the browser had before ends. */
export async function enterSession(
  { db, config }: { db: Database; config: Config },
  req: Request,
  res: Response,
  session: OpenedSession,
): Promise<void> {
  const before = sessionTokenOf(config, req);
  if (before !== undefined) await signOut({ db }, before);
  const options = { ...accountCookie(config), expires: session.expiresAt };
  res.cookie(hostCookie(config, COOKIE), session.token, options);
}

export function clearSessionCookie(res: Response, config: Config): void {
  res.clearCookie(hostCookie(config, COOKIE), accountCookie(config));
}

/** Returns the cookie options. Other sites can link here with the cookie, but not send forms. */
export function accountCookie(config: Config) {
  return hostCookieOptions(config, 'lax');
}

/**
 * Lets signed-in users pass, and sends everyone else to the sign-in page. Each request counts once, against
 * LIMIT_USER_READS but separately from the reads of connected apps, which could otherwise keep users from revoking
 * them.
 * @throws invalid_token, rate_limited
 */
export function requireAccount(runtime: ApiServices): RequestHandler {
  return async (req, res, next) => {
    if (res.locals.signedIn) return next();
    const token = sessionTokenOf(runtime.config, req);
    const user = token === undefined ? undefined : await findSession(runtime, token);
    if (token !== undefined && user) {
      res.locals.signedIn = { user, token } satisfies OwnSession;
      requireWithinLimit(await runtime.limits.take('account', { kind: 'user', userId: user.id }));
      return next();
    }
    if (req.method !== 'GET') throw fail('invalid_token');
    res.redirect(303, `/account/sign-in?next=${encodeURIComponent(req.originalUrl)}`);
  };
}

/**
 * Guards dangerous actions: users with a second factor who did not confirm it recently confirm it first, and then
 * return to `pageOf`: the requested page, or the one with the form.
 */
export function requireFresh(
  runtime: ApiServices,
  pageOf: (req: Request) => string,
): RequestHandler {
  return (req, res, next) => {
    if (!isStale(runtime, signedInOf(res).user)) return next();
    res.redirect(303, `/account/confirm?next=${encodeURIComponent(pageOf(req))}`);
  };
}

/** Returns the user that {@link requireAccount} let pass. */
export function signedInOf(res: Response): OwnSession {
  return res.locals.signedIn;
}

/** Returns the path to go to after signing in. */
export function accountReturnPath(path: unknown): string {
  return returnPathUnder([HOME, '/partner'], path);
}
