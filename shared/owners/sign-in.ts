import { recordAudit } from '../audit/record-audit.ts';
import { addMs, type Clock, HOUR } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { fail } from '../platform/errors.ts';
import { authenticateUser } from './check-password.ts';
import { insertSession } from './session.store.ts';
import { hashSessionToken, newSessionToken } from './session-token.ts';
import type { Role, User } from './user.ts';

/** An open session at the one moment at which its token can be read. */
export interface OpenedSession {
  token: string;
  expiresAt: Date;
  user: User;
}

/**
 * Opens a session of SESSION_HOURS.
 * @throws invalid_token (address or password wrong), forbidden (right, but the account is disabled or not of
 * the role asked for), rate_limited
 */
export async function signIn(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  given: { email: string; password: string; role?: Role },
): Promise<OpenedSession> {
  const user = await authenticateUser({ db, config }, given);
  if (!user) {
    throw fail('invalid_token', { message: 'The e-mail address or the password is wrong.' });
  }
  if (given.role && user.role !== given.role) {
    throw fail('forbidden', { message: `This account does not have the role ${given.role}.` });
  }
  const now = clock.now();
  const token = newSessionToken();
  const expiresAt = addMs(now, config.sessionHours * HOUR);
  await db.transact(async (tx) => {
    const tokenHash = hashSessionToken(token);
    const { id: userId, sessionVersion } = user;
    await insertSession(tx, { tokenHash, userId, sessionVersion, createdAt: now, expiresAt });
    if (user.role === 'ops') {
      await recordAudit(tx, { actor: user.id, action: 'user:sign-in', subject: user.id }, now);
    }
  });
  const { id, email, role } = user;
  return { token, expiresAt, user: { id, email, role } };
}
