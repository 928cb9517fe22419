import type { Request } from 'express';
import type { SignInOrigin } from '../../shared/people/users/sign-in-failure.ts';

const LONGEST_USER_AGENT = 300;

/** Where a sign-in comes from, for the lists of sessions and of failures, and the audit trail. */
export function signInOriginOf(req: Request): SignInOrigin {
  const userAgent = req.get('User-Agent')?.slice(0, LONGEST_USER_AGENT) ?? null;
  return { address: req.ip ?? null, userAgent };
}
