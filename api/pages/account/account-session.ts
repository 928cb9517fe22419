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

/** The session that a browser shows, for people's own pages. */
export function sessionTokenOf(config: Config, req: Request): string | undefined {
  const token = cookieOf(req, hostCookie(config, COOKIE));
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

/** Hands a session to the browser; whatever session the browser had before ends. */
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

/** Other sites can link here with it, but not send forms. */
export function accountCookie(config: Config) {
  return hostCookieOptions(config, 'lax');
}

/**
 * Lets signed-in users pass, and sends everyone else to the sign-in page. A request counts once,
 * against LIMIT_USER_READS but apart from the reads of connected apps, which could otherwise keep
 * their user from ending them.
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
 * Guards dangerous actions: users with a second factor who did not give it lately give it first,
 * and then come to `pageOf`: the page that was asked for, or the one with the form.
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

/** Who {@link requireAccount} let pass. */
export function signedInOf(res: Response): OwnSession {
  return res.locals.signedIn;
}

/** Where to go on after signing in. */
export function accountReturnPath(path: unknown): string {
  return returnPathUnder([HOME, '/partner'], path);
}
