import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { fail, invalid } from '../../platform/errors.ts';
import { hasSecondFactor, tellOfFactor } from './second-factor.ts';
import type { SignInOrigin } from './sign-in-failure.ts';
import { selectSessionForUpdate, updateSecondFactorAt } from './user.store.ts';
import { lockAccount } from './user-account.ts';
import {
  authenticateUser,
  endSessionsBut,
  hashSessionToken,
  isStale,
  type OwnSession,
} from './user-session.ts';

declare const shown: unique symbol;

/** A session whose user has just proved their identity. Enrolling any kind of second factor requires one. */
export interface ProvenSession extends OwnSession {
  readonly [shown]: true;
}

/**
 * Proves a session, which is required to enroll a second factor. A user who has one must have given it within the last
 * 15 minutes; a user without one gives the password. So an open session alone is not enough to take over an account.
 * @throws forbidden (the factor must be given first), validation_error (the password), rate_limited
 */
export async function proveSession(
  deps: { db: Database; clock: Clock; config: Config },
  session: OwnSession,
  given: { password: string; from: SignInOrigin },
): Promise<ProvenSession> {
  const { id, email } = session.user;
  if (await hasSecondFactor(deps, id)) assertFresh(deps, session);
  else if ((await authenticateUser(deps, { email, ...given }))?.id !== id) {
    throw invalid([{ path: '/present', message: 'is wrong' }]);
  }
  return session as ProvenSession;
}

/** Requires users with a second factor to have given it within the last 15 minutes. @throws forbidden */
export function assertFresh({ clock }: { clock: Clock }, { user }: OwnSession): void {
  if (!isStale({ clock }, { ...user, hasSecondFactor: true })) return;
  throw fail('forbidden', {
    message: 'Confirm your second factor at /account/confirm first, then try again.',
  });
}

/**
 * Locks the account of a session until the transaction ends.
 * @throws invalid_token if the session has ended since it was proved
 */
export async function lockOwnAccount(
  uow: UnitOfWork,
  { user, token }: OwnSession,
): Promise<{ userId: string }> {
  const { id: userId } = await lockAccount(uow, user.id);
  const session = { userId, tokenHash: hashSessionToken(token), now: uow.now };
  if (!(await selectSessionForUpdate.first(uow.sql, session))) {
    throw fail('invalid_token', { message: 'Your session has ended. Sign in and try again.' });
  }
  return { userId };
}

/** Revokes the OAuth grants of a user's other sessions. It is passed in, since the OAuth code depends on users. */
export interface GrantRevocation {
  revokeGrantsBut(uow: UnitOfWork, kept: { userId: string; token: string }): Promise<number>;
}

/**
 * Records that a session's user changed a second factor: tells the user, ends all other sessions and their OAuth
 * grants, and, for a new factor, marks this session as having given it.
 */
export async function noteFactorChange(
  { revokeGrantsBut }: GrantRevocation,
  uow: UnitOfWork,
  session: OwnSession,
  { change, factor }: { change: 'added' | 'removed'; factor: string },
): Promise<void> {
  const { user, token } = session;
  await endSessionsBut(uow, { userId: user.id, token });
  await revokeGrantsBut(uow, { userId: user.id, token });
  if (change === 'added') {
    const { id: userId, sessionId } = user;
    await updateSecondFactorAt.send(uow.pipeline, { sessionId, userId, now: uow.now });
  }
  await tellOfFactor(uow, user, { actor: user.id, change, factor });
}
