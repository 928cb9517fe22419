import { recordAudit } from '../audit/record-audit.ts';
import { type Clock, HOUR, later } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { fail } from '../platform/errors.ts';
import { MAX_PASSWORD, NO_PASSWORD, passwordMatches } from './password.ts';
import { insertSession } from './session.store.ts';
import { hashOfToken, newSessionToken } from './session-token.ts';
import { selectUserByEmail } from './user.store.ts';
import type { Role, User } from './user.ts';

/** An open session at the one moment at which its token can be read. */
export interface OpenedSession {
  token: string;
  expiresAt: Date;
  user: User;
}

/**
 * Opens a session of SESSION_HOURS. An unknown address costs the same work, and gives the same answer,
 * as a wrong password, so that nothing is learnt about who has an account.
 * @throws invalid_token (address or password wrong), forbidden (right, but not of the role asked for)
 */
export async function signIn(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  given: { email: string; password: string; role?: Role },
): Promise<OpenedSession> {
  const found = await selectUserByEmail(db.knex, given.email.trim().toLowerCase());
  const password = given.password.slice(0, MAX_PASSWORD + 1);
  const matches = await passwordMatches(password, found?.passwordHash ?? NO_PASSWORD);
  if (!found || !matches) {
    throw fail('invalid_token', { message: 'The e-mail address or the password is wrong.' });
  }
  if (given.role && found.role !== given.role) {
    throw fail('forbidden', { message: `This account does not have the role ${given.role}.` });
  }
  const now = clock.now();
  const token = newSessionToken();
  const expiresAt = later(now, config.sessionHours * HOUR);
  await db.transact(async (tx) => {
    const tokenHash = hashOfToken(token);
    await insertSession(tx, { tokenHash, userId: found.id, createdAt: now, expiresAt });
    if (found.role === 'ops') {
      await recordAudit(tx, { actor: found.id, action: 'user:sign-in', subject: found.id }, now);
    }
  });
  return { token, expiresAt, user: { id: found.id, email: found.email, role: found.role } };
}
