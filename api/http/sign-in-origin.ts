import type { Request } from 'express';
import type { SignInOrigin } from '../../shared/people/users/sign-in-failure.ts';

const LONGEST_USER_AGENT = 300;

/** Returns where a sign-in comes from, for the lists of sessions and failed sign-ins and for the audit trail. */
export function signInOriginOf(req: Request): SignInOrigin {
  const userAgent = req.get('User-Agent')?.slice(0, LONGEST_USER_AGENT) ?? null;
  return { address: req.ip ?? null, userAgent };
}
