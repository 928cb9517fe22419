import type { Request, RequestHandler, Response } from 'express';
import type { StaffRole } from '../../shared/people/users/user.ts';
import {
  findSession,
  isStale,
  type SessionHolder,
} from '../../shared/people/users/user-session.ts';
import type { Config } from '../../shared/platform/config/config.ts';
import { fail } from '../../shared/platform/errors.ts';
import type { ApiServices } from '../compose-api.ts';
import { cookieOf, hostCookie, hostCookieOptions } from '../http/cookies.ts';
import { toServiceError } from '../http/error-response.ts';
import { requireWithinLimit } from '../http/rate-limit.ts';
import { returnPathUnder } from '../http/return-path.ts';

const COOKIE = 'ops_session';
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Returns a request's token and its source. A bearer token overrides the cookie, so that no site can mix the two. */
export function tokenOf(
  config: Config,
  req: Request,
): { token: string; via: 'bearer' | 'cookie' } | undefined {
  const authorization = req.get('Authorization');
  const via = authorization === undefined ? 'cookie' : 'bearer';
  const token =
    authorization === undefined
      ? cookieOf(req, hostCookie(config, COOKIE))
      : /^Bearer +(\S+)$/i.exec(authorization.trim())?.[1];
  return token !== undefined && TOKEN.test(token) ? { token, via } : undefined;
}

/** Returns the signed-in staff member. @throws invalid_token, forbidden (not staff) */
async function authenticateStaff(
  runtime: ApiServices,
  req: Request,
): Promise<SessionHolder & { staffRole: StaffRole }> {
  const given = tokenOf(runtime.config, req);
  const user = given && (await findSession(runtime, given.token));
  if (!user) throw fail('invalid_token');
  const { staffRole } = user;
  if (staffRole === null) {
    throw fail('forbidden', { message: 'This account does not have the role ops.' });
  }
  if (runtime.config.staffSecondFactor === 'required' && user.secondFactorAt === null) {
    throw fail('forbidden', {
      message: 'Set up a passkey or an authenticator app at /account/security, then sign in again.',
    });
  }
  return { ...user, staffRole };
}

/** What determines which actions a staff member may run now. */
export interface Staff {
  role: StaffRole;
  /** Whether the account has a second factor that this session did not confirm within the last 15 minutes. */
  stale: boolean;
}

/**
 * Lets staff pass, and sends a browser without a session to the sign-in page. The requirements of each action are
 * checked with the action (`assertMayRun`).
 */
export function requireStaff(runtime: ApiServices): RequestHandler {
  return async (req, res, next) => {
    try {
      const user = await authenticateStaff(runtime, req);
      res.locals.actor = user.id;
      res.locals.email = user.email;
      res.locals.sessionId = user.sessionId;
      res.locals.staff = { role: user.staffRole, stale: isStale(runtime, user) } satisfies Staff;
    } catch (error) {
      // Signing in again would not fix an unavailable database.
      if (toServiceError(error).status >= 500) throw error;
      if (req.method === 'GET' && req.accepts(['json', 'html']) === 'html') {
        res.redirect(303, `/ops/sign-in?next=${encodeURIComponent(req.originalUrl)}`);
        return;
      }
      res.set('WWW-Authenticate', 'Bearer realm="ops"');
      throw error;
    }
    const group = req.query.format === 'csv' ? 'staff-exports' : 'staff';
    const whom = { kind: 'user', userId: String(res.locals.actor) } as const;
    requireWithinLimit(await runtime.limits.take(group, whom));
    next();
  };
}

/** Sends the session cookie to the browser. */
export function setSessionCookie(res: Response, config: Config, token: string, expires: Date) {
  res.cookie(hostCookie(config, COOKIE), token, { ...opsCookie(config), expires });
}

export function clearSessionCookie(res: Response, config: Config): void {
  res.clearCookie(hostCookie(config, COOKIE), opsCookie(config));
}

/** Returns the cookie options: other sites cannot send the cookie. */
export function opsCookie(config: Config) {
  return hostCookieOptions(config, 'strict');
}

/** Returns the path on which staff confirm the second factor before they return to this page. */
export function confirmPath(page: string): string {
  return `/ops/confirm?next=${encodeURIComponent(page)}`;
}

/** Returns a path of ours under /ops, whatever the URL claims; `/ops` for anything else. */
export function safeReturnPath(path: unknown): string {
  return returnPathUnder(['/ops'], path);
}
