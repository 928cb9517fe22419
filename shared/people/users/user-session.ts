import { createHash } from 'node:crypto';
import type { Database } from '../../delivery/unit-of-work/database.ts';
import { addMs, type Clock, HOUR } from '../../platform/clock.ts';
import { allowsDemoAccounts, type Config } from '../../platform/config/config.ts';
import { fail } from '../../platform/errors.ts';
import { randomBase64Url } from '../../platform/ids.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { MAX_PASSWORD, UNMATCHABLE_HASH, verifyPassword } from './password.ts';
import {
  deleteExpiredSessions,
  deleteSession,
  insertSession,
  selectSession,
  selectUserByEmail,
} from './user.store.ts';
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
  await db.transact(async (uow) => {
    const tokenHash = hashSessionToken(token);
    const { id: userId, sessionVersion } = user;
    const session = { tokenHash, userId, sessionVersion, createdAt: now, expiresAt };
    await insertSession.run(uow.sql, session);
    if (user.role === 'ops') {
      await recordAudit(uow, { actor: user.id, action: 'user:sign-in', subject: user.id });
    }
  });
  const { id, email, role, staffRole } = user;
  return { token, expiresAt, user: { id, email, role, staffRole } };
}

/**
 * The user with this address and password, and the version that a session of this sign-in has. An unknown
 * address costs the same work, and gives the same answer, as a wrong password, so that nothing is learnt
 * about who has an account.
 * @throws forbidden (both are right, and the account is disabled), rate_limited when too many sign in at once
 */
export async function authenticateUser(
  { db, config }: { db: Database; config: Config },
  given: { email: string; password: string },
): Promise<(User & { sessionVersion: number }) | undefined> {
  const found = await selectUserByEmail.first(db.knex, { email: given.email.trim().toLowerCase() });
  const password = given.password.slice(0, MAX_PASSWORD + 1);
  const matches = await verifyPassword(password, found?.passwordHash ?? UNMATCHABLE_HASH);
  if (!found || !matches || (found.demo && !allowsDemoAccounts(config))) return undefined;
  if (found.disabledAt) throw fail('forbidden', { message: 'This account is disabled.' });
  const { id, email, role, staffRole, sessionVersion } = found;
  return { id, email, role, staffRole, sessionVersion };
}

/** Who holds this token; undefined when it is unknown, expired or signed out. */
export async function findSession(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  token: string,
): Promise<(User & { expiresAt: Date }) | undefined> {
  return selectSession.first(db.knex, {
    tokenHash: hashSessionToken(token),
    now: clock.now(),
    demo: allowsDemoAccounts(config),
  });
}

/** Ends the session of this token; nothing happens when there is none. */
export async function signOut({ db }: { db: Database }, token: string): Promise<void> {
  await deleteSession.run(db.knex, { tokenHash: hashSessionToken(token) });
}

/** Deletes up to `limit` sessions that are over, and says how many; they were of no use already. */
export async function pruneSessions(
  { db, clock }: { db: Database; clock: Clock },
  limit: number,
): Promise<number> {
  return deleteExpiredSessions.run(db.knex, { now: clock.now(), limit });
}

const TOKEN_BYTES = 32;

/** A new session token: 43 characters that nobody can guess. */
export function newSessionToken(): string {
  return randomBase64Url(TOKEN_BYTES);
}

/** What is stored of a token; it is random, so a plain digest can't be searched backwards. */
export function hashSessionToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
