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

/** An open session at the one moment at which its token can be read. */
export interface OpenedSession {
  id: string;
  token: string;
  expiresAt: Date;
  user: User;
}

/**
 * Opens a session with a password and, where the account has a second factor, a code of that: for callers that can
 * send both at once. @throws what {@link beginSignIn} and {@link finishSignIn} throw
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
 * Opens a session of SESSION_HOURS, always a new one, and tells its owner by mail when the device is new. An account
 * with a second factor gets a ticket in its place, for {@link finishSignIn}.
 * @throws invalid_token (address or password wrong), forbidden (right, but the account is disabled or not of
 * the role asked for), rate_limited
 */
export async function beginSignIn(
  deps: SignInDeps,
  given: GivenCredentials & { role?: Role },
): Promise<OpenedSession | { ticket: string }> {
  const user = await authenticateUser(deps, given);
  if (!user) {
    throw fail('invalid_token', { message: 'The e-mail address or the password is wrong.' });
  }
  assertRole(user, given.role);
  if (await hasSecondFactor(deps, user.id)) return { ticket: await createTicket(deps, user) };
  return openSession(deps, user, { from: given.from, secondFactor: false });
}

/**
 * Opens a session with a passkey alone: it is something that its owner has, and knows or is.
 * @throws what {@link authenticateByPasskey} throws, and forbidden when the account is not of the role asked for
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
 * The user whose passkey signed. Each failure is in the list of them.
 * @throws invalid_token (no passkey of ours, or an old answer), forbidden (disabled)
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

/** For how long a second factor opens what is dangerous. */
export const FRESH_MS = 15 * MINUTE;

/**
 * Whether what is dangerous has to wait until the second factor is given: the account has one, and this session did
 * not give it within {@link FRESH_MS}, or never.
 */
export function isStale(
  { clock }: Pick<Deps, 'clock'>,
  { hasSecondFactor, secondFactorAt }: SessionHolder,
): boolean {
  if (!hasSecondFactor) return false;
  return secondFactorAt === null || addMs(secondFactorAt, FRESH_MS) < clock.now();
}

/** Gives the second factor of an open session again. @throws invalid_token (wrong), rate_limited */
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

/** The first device of all is no news. */
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
 * The user with this address and password. An unknown address costs the same work, and gives the same answer, as a
 * wrong password, so that nothing is learnt about who has an account. Each failure is in the list of them.
 * @throws forbidden (both are right, and the account is disabled), rate_limited (after failures, or when too many
 * sign in at once)
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

/** Who is signed in, until when, whether the account has a second factor, and when this session gave one. */
export type SessionHolder = User & {
  sessionId: string;
  expiresAt: Date;
  hasSecondFactor: boolean;
  secondFactorAt: Date | null;
};

/** A session in the hands of its holder. */
export interface OwnSession {
  user: SessionHolder;
  token: string;
}

/** Who holds this token; undefined when it is unknown, expired or signed out. */
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

/** The same for a session of this user that is known by its id; undefined when it is not open. */
export async function findSessionById(
  { db, clock, config }: Deps,
  of: { sessionId: string; userId: string },
): Promise<SessionHolder | undefined> {
  const asked = { ...of, now: clock.now(), demo: allowsDemoAccounts(config) };
  return store.selectSessionById.first(db.knex, asked);
}

/** A session as its owner sees it. */
export interface SessionSummary extends Omit<store.OpenSession, 'userAgent'> {
  /** Such as `Firefox on Linux`. */
  device: string | null;
}

/** The open sessions of a user, newest first; `token` is that of the one who looks. */
export async function listSessions(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { userId, token }: { userId: string; token: string },
): Promise<SessionSummary[]> {
  const tokenHash = hashSessionToken(token);
  const rows = await store.selectOpenSessions.all(db.knex, { userId, tokenHash, now: clock.now() });
  return rows.map(({ userAgent, ...session }) => ({ ...session, device: deviceOf(userAgent) }));
}

/** Ends one session of a user, by its id; false when it has ended already. */
export async function endSession(
  uow: UnitOfWork,
  of: { userId: string; id: string },
): Promise<boolean> {
  return (await store.deleteSessionById.run(uow.sql, of)) > 0;
}

/**
 * Ends the sessions of a user but that of `token`, those that are being opened at this moment included, and says how
 * many there were.
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

/** Ends the session of this token; nothing happens when there is none. */
export async function signOut({ db }: { db: Database }, token: string): Promise<void> {
  await store.deleteSession.run(db.knex, { tokenHash: hashSessionToken(token) });
}

const TOKEN_BYTES = 32;

/** A new session token: 43 characters that nobody can guess. */
function newSessionToken(): string {
  return randomBase64Url(TOKEN_BYTES);
}

/** What is stored of a token; it is random, so a plain digest can't be searched backwards. */
export function hashSessionToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
