import { createHash } from 'node:crypto';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, type Clock, HOUR, MINUTE } from '../../platform/clock.ts';
import { allowsDemoAccounts, type Config } from '../../platform/config/config.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { fail } from '../../platform/errors.ts';
import { randomBase64Url } from '../../platform/ids.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { deviceOf } from './device.ts';
import { type PasskeyAnswer, verifyPasskey } from './passkey.ts';
import { MAX_PASSWORD, UNMATCHABLE_HASH, verifyPassword } from './password.ts';
import {
  CODE_WRONG,
  hasSecondFactor,
  type SecondFactorProof,
  verifySecondFactor,
} from './second-factor.ts';
import { clearAttempts, takeAttempt } from './sign-in-attempt.ts';
import { recordFailure, type SignInOrigin, UNKNOWN_ORIGIN } from './sign-in-failure.ts';
import { type AuthenticatedUser, createTicket, redeemTicket } from './sign-in-ticket.ts';
import { newSignInMail } from './user.mails.ts';
import * as store from './user.store.ts';
import type { Role, User } from './user.ts';
import { findActiveUser } from './user-account.ts';

interface Deps {
  db: Database;
  clock: Clock;
  config: Config;
}

type SignInDeps = Deps & { secrets: SecretBox; tokens: SignedTokens };

export interface GivenCredentials {
  email: string;
  password: string;
  from?: SignInOrigin;
}

/** A newly opened session. Its token can be read only now. */
export interface OpenedSession {
  id: string;
  token: string;
  expiresAt: Date;
  user: User;
}

/**
 * Opens a session with a password and, if the account has a second factor, its code, for callers that send both at
 * once. @throws whatever {@link beginSignIn} and {@link finishSignIn} throw
 */
export async function signIn(
  deps: SignInDeps,
  { code, ...given }: GivenCredentials & { role?: Role; code?: string | undefined },
): Promise<OpenedSession> {
  const step = await beginSignIn(deps, given);
  if ('token' in step) return step;
  if (code === undefined) {
    throw fail('invalid_token', { message: 'This account has a second factor. Send its code.' });
  }
  return finishSignIn(deps, { ticket: step.ticket, proof: { code }, from: given.from });
}

/**
 * Opens a new session of SESSION_HOURS, and mails the user if the device is new. For an account with a second factor,
 * returns a ticket for {@link finishSignIn} instead.
 * @throws invalid_token (wrong address or password), forbidden (the account is disabled or does not have the
 *   requested role), rate_limited
 */
export async function beginSignIn(
  deps: SignInDeps,
  given: GivenCredentials & { role?: Role },
): Promise<OpenedSession | { ticket: string }> {
  const user = await authenticateUser(deps, given);
  if (!user) {
    throw fail('invalid_token', { message: 'The email address or the password is wrong.' });
  }
  assertRole(user, given.role);
  if (await hasSecondFactor(deps, user.id)) return { ticket: await createTicket(deps, user) };
  return openSession(deps, user, { from: given.from, secondFactor: false });
}

/**
 * Opens a session with only a passkey, which combines possession with knowledge or biometrics.
 * @throws whatever {@link authenticateByPasskey} throws, and forbidden when the account lacks the requested role
 */
export async function signInWithPasskey(
  deps: SignInDeps,
  { role, ...given }: PasskeyAnswer & { from?: SignInOrigin; role?: Role },
): Promise<OpenedSession> {
  const user = await authenticateByPasskey(deps, given);
  assertRole(user, role);
  return openSession(deps, user, { from: given.from, secondFactor: true });
}

/**
 * Returns the user whose passkey signed, and records a failure.
 * @throws invalid_token (an unknown passkey or an old response), forbidden (disabled)
 */
async function authenticateByPasskey(
  deps: SignInDeps,
  { from, ...answer }: PasskeyAnswer & { from?: SignInOrigin },
): Promise<AuthenticatedUser> {
  const userId = await verifyPasskey(deps, null, answer, from);
  const user = await findActiveUser(deps, userId);
  if (!user) throw fail('forbidden', { message: 'This account is disabled.' });
  const { id, email, role, staffRole, sessionVersion } = user;
  return { id, email, role, staffRole, sessionVersion };
}

/** @throws forbidden */
function assertRole(user: User, role: Role | undefined): void {
  if (role === undefined || user.role === role) return;
  throw fail('forbidden', { message: `This account does not have the role ${role}.` });
}

/** How long after a second factor was given it allows sensitive actions. */
export const FRESH_MS = 15 * MINUTE;

/**
 * Returns whether sensitive actions require the second factor first: the account has one, and this session has not
 * given it within {@link FRESH_MS}.
 */
export function isStale(
  { clock }: Pick<Deps, 'clock'>,
  { hasSecondFactor, secondFactorAt }: SessionHolder,
): boolean {
  if (!hasSecondFactor) return false;
  return secondFactorAt === null || addMs(secondFactorAt, FRESH_MS) < clock.now();
}

/** Verifies the second factor of an open session again. @throws invalid_token (wrong), rate_limited */
export async function confirmSession(
  deps: SignInDeps,
  given: {
    user: Pick<SessionHolder, 'id' | 'email' | 'sessionId'>;
    proof: SecondFactorProof;
    from: SignInOrigin;
  },
): Promise<void> {
  const { user, proof, from } = given;
  if (!(await verifySecondFactor(deps, user, proof, from))) {
    throw fail('invalid_token', { message: CODE_WRONG });
  }
  const now = deps.clock.now();
  const { id: userId, sessionId } = user;
  await store.updateSecondFactorAt.run(deps.db.knex, { sessionId, userId, now });
}

/** Opens the session of a ticket. @throws invalid_token (the second factor, or the ticket), rate_limited */
export async function finishSignIn(
  deps: SignInDeps,
  given: { ticket: string; proof: SecondFactorProof; from?: SignInOrigin | undefined },
): Promise<OpenedSession> {
  const user = await redeemTicket(deps, given);
  return openSession(deps, user, { from: given.from, secondFactor: true });
}

async function openSession(
  { db, clock, config }: Deps,
  user: AuthenticatedUser,
  {
    from = UNKNOWN_ORIGIN,
    secondFactor,
  }: { from?: SignInOrigin | undefined; secondFactor: boolean },
): Promise<OpenedSession> {
  const now = clock.now();
  const token = newSessionToken();
  const tokenHash = hashSessionToken(token);
  const expiresAt = addMs(now, config.sessionHours * HOUR);
  const { sessionVersion, ...person } = user;
  const id = await db.transact(async (uow) => {
    const times = { createdAt: now, expiresAt, secondFactorAt: secondFactor ? now : null };
    const session = { tokenHash, userId: user.id, sessionVersion, ...times, ...from };
    const { id } = await store.insertSession.one(uow.sql, session);
    const entry = { actor: user.id, action: 'user:sign-in', subject: user.id, after: { ...from } };
    await recordAudit(uow, entry);
    await tellOfNewDevice(uow, user, { sessionId: id, from });
    return id;
  });
  return { id, token, expiresAt, user: person };
}

/** Mails the user about a sign-in from a new device, unless it is the account's first device. */
async function tellOfNewDevice(
  uow: UnitOfWork,
  { id: userId, email }: User,
  { sessionId, from }: { sessionId: string; from: SignInOrigin },
): Promise<void> {
  const device = deviceOf(from.userAgent);
  if (device === null) return;
  const added = await store.insertDevice.first(uow.sql, { userId, device, now: uow.now });
  if (!added?.others) return;
  const data = { sessionId, at: uow.now.toISOString(), device, path: '/account/security' };
  uow.mails.add(newSignInMail, { to: { email }, of: null, data });
}

/**
 * Returns the user with this address and password, and records a failure. An unknown address takes the same work and
 * gives the same response as a wrong password, so that callers do not learn who has an account.
 * @throws forbidden (both are right, but the account is disabled), rate_limited (after failures, or when too many
 *   people sign in at once)
 */
export async function authenticateUser(
  deps: Deps,
  given: GivenCredentials,
): Promise<AuthenticatedUser | undefined> {
  const { db, config } = deps;
  const address = given.email.trim().toLowerCase();
  await takeAttempt(deps, `password:${address}`);
  const found = await store.selectUserByEmail.first(db.knex, { email: address });
  const password = given.password.slice(0, MAX_PASSWORD + 1);
  const matches = await verifyPassword(password, found?.passwordHash ?? UNMATCHABLE_HASH);
  if (!found || !matches || (found.demo && !allowsDemoAccounts(config))) {
    await recordFailure(deps, { userId: found?.id ?? null, reason: 'password', from: given.from });
    return undefined;
  }
  await clearAttempts(deps, `password:${address}`);
  if (found.disabledAt) throw fail('forbidden', { message: 'This account is disabled.' });
  const { id, email, role, staffRole, sessionVersion } = found;
  return { id, email, role, staffRole, sessionVersion };
}

/** A signed-in user and the state of their session and second factor. */
export type SessionHolder = User & {
  sessionId: string;
  expiresAt: Date;
  hasSecondFactor: boolean;
  secondFactorAt: Date | null;
};

/** A session with its token, as its user holds it. */
export interface OwnSession {
  user: SessionHolder;
  token: string;
}

/** Returns the user who holds this token; undefined if it is unknown, expired or signed out. */
export async function findSession(
  { db, clock, config }: Deps,
  token: string,
): Promise<SessionHolder | undefined> {
  return store.selectSession.first(db.knex, {
    tokenHash: hashSessionToken(token),
    now: clock.now(),
    demo: allowsDemoAccounts(config),
  });
}

/** Like {@link findSession}, by the session's id and user. Returns undefined if the session is not open. */
export async function findSessionById(
  { db, clock, config }: Deps,
  of: { sessionId: string; userId: string },
): Promise<SessionHolder | undefined> {
  const asked = { ...of, now: clock.now(), demo: allowsDemoAccounts(config) };
  return store.selectSessionById.first(db.knex, asked);
}

/** A session as its user sees it. */
export interface SessionSummary extends Omit<store.OpenSession, 'userAgent'> {
  /** Such as `Firefox on Linux`. */
  device: string | null;
}

/** Lists the open sessions of a user, newest first. `token` identifies the current session. */
export async function listSessions(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { userId, token }: { userId: string; token: string },
): Promise<SessionSummary[]> {
  const tokenHash = hashSessionToken(token);
  const rows = await store.selectOpenSessions.all(db.knex, { userId, tokenHash, now: clock.now() });
  return rows.map(({ userAgent, ...session }) => ({ ...session, device: deviceOf(userAgent) }));
}

/** Ends one session of a user, by its id. Returns false if it has already ended. */
export async function endSession(
  uow: UnitOfWork,
  of: { userId: string; id: string },
): Promise<boolean> {
  return (await store.deleteSessionById.run(uow.sql, of)) > 0;
}

/**
 * Ends the sessions of a user except that of `token`, including sessions that are being opened now, and returns how
 * many ended.
 */
export async function endSessionsBut(
  uow: UnitOfWork,
  { userId, token }: { userId: string; token: string },
): Promise<number> {
  await store.updateSessionVersion.run(uow.sql, { id: userId });
  const tokenHash = hashSessionToken(token);
  await store.updateKeptSession.run(uow.sql, { userId, tokenHash });
  return store.deleteOtherSessions.run(uow.sql, { userId, tokenHash });
}

/** Ends the session of this token, if there is one. */
export async function signOut({ db }: { db: Database }, token: string): Promise<void> {
  await store.deleteSession.run(db.knex, { tokenHash: hashSessionToken(token) });
}

const TOKEN_BYTES = 32;

/** Creates a session token of 43 unguessable characters. */
function newSessionToken(): string {
  return randomBase64Url(TOKEN_BYTES);
}

/** Returns the stored digest of a token. A plain digest is enough, since a random token cannot be guessed from it. */
export function hashSessionToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
