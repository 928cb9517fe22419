import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Clock } from '../../platform/clock.ts';
import { allowsDemoAccounts, type Config } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { fail, invalid } from '../../platform/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { hashNewPassword } from './password.ts';
import {
  deleteSessionsOf,
  selectUserByEmail,
  selectUserByEmailForUpdate,
  selectUserById,
  selectUserByIdForUpdate,
  selectUserEmails,
  updateDisabledAt,
  updatePasswordHash,
  updateSessionVersion,
  updateStaffRole,
  writeUser,
} from './user.store.ts';
import { canonicalEmail, type Role, type StaffRole, type User, type UserAccount } from './user.ts';

/** Creates an account. Staff are admins by default. @throws validation_error, conflict (`already_exists`) */
export async function createUser(
  { db, clock }: { db: Database; clock: Clock },
  actor: string,
  input: {
    email: string;
    password: string;
    role: Role;
    staffRole?: StaffRole | undefined;
    demo?: boolean;
  },
): Promise<User> {
  const { password, role } = input;
  if (role !== 'ops' && input.staffRole !== undefined) {
    throw invalid([{ path: '/staff_role', message: 'is for the role ops only' }]);
  }
  const staffRole = role === 'ops' ? (input.staffRole ?? 'admin') : null;
  const email = canonicalEmail(input.email);
  const now = clock.now();
  const user: User = { id: newId('user', now), email, role, staffRole };
  const passwordHash = await hashNewPassword(password);
  await db.transact(async (uow) => {
    const demo = input.demo ?? false;
    await writeUser(uow.sql, { ...user, passwordHash, createdAt: now, demo });
    const after = { email, role, ...(staffRole && { staffRole }) };
    await recordAudit(uow, { actor, action: 'user:create', subject: user.id, after });
  });
  return user;
}

/**
 * Opens an account for a verified address, in the caller's transaction. Its role is `owner` at first.
 * @throws conflict (`already_exists`)
 */
export async function openAccount(
  uow: UnitOfWork,
  { email, passwordHash }: { email: string; passwordHash: string },
): Promise<User> {
  const user: User = { id: newId('user', uow.now), email, role: 'owner', staffRole: null };
  await writeUser(uow.sql, { ...user, passwordHash, createdAt: uow.now, demo: false });
  const after = { email, role: user.role };
  await recordAudit(uow, { actor: user.id, action: 'user:create', subject: user.id, after });
  return user;
}

/** Returns the user with this email address, or undefined. @throws validation_error */
export async function findUser({ db }: { db: Database }, email: string): Promise<User | undefined> {
  const found = await selectUserByEmail.first(db.knex, { email: canonicalEmail(email) });
  if (!found) return undefined;
  const { id, email: address, role, staffRole } = found;
  return { id, email: address, role, staffRole };
}

/** Returns the email address of a user. @throws not_found */
export async function readUserEmail(sql: Sql, id: string): Promise<string> {
  const found = await selectUserById.first(sql, { id });
  if (!found) throw fail('not_found', { message: `There is no user ${id}.` });
  return found.email;
}

/** Returns the email addresses of these users, by id. Leaves out unknown ids. */
export async function readUserEmails(
  { db }: { db: Database },
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await selectUserEmails.all(db.knex, { ids: [...new Set(ids)] });
  return new Map(rows.map(({ id, email }) => [id, email]));
}

/** Returns the user with this id if they may sign in; undefined if unknown, disabled, or a disallowed demo account. */
export async function findActiveUser(
  { db, config }: { db: Database; config: Config },
  id: string,
): Promise<UserAccount | undefined> {
  const found = await selectUserById.first(db.knex, { id });
  if (!found || found.disabledAt || (found.demo && !allowsDemoAccounts(config))) return undefined;
  return found;
}

/**
 * Locks the account with this id or email address until the transaction ends.
 * @throws not_found, validation_error (neither an id nor an address)
 */
export async function lockAccount(uow: UnitOfWork, who: string): Promise<UserAccount> {
  const found = isId('user', who)
    ? await selectUserByIdForUpdate.first(uow.sql, { id: who })
    : await selectUserByEmailForUpdate.first(uow.sql, { email: emailOf(who) });
  if (!found) throw fail('not_found', { message: `There is no user ${who}.` });
  return found;
}

/** Locks the account with this address until the transaction ends. @throws not_found, forbidden (it is disabled) */
export async function lockActiveAccount(uow: UnitOfWork, email: string): Promise<UserAccount> {
  const account = await lockAccount(uow, email);
  if (account.disabledAt) throw fail('forbidden', { message: 'This account is disabled.' });
  return account;
}

function emailOf(who: string): string {
  try {
    return canonicalEmail(who);
  } catch {
    const message = 'must be a user ID (usr_...) or an email address';
    throw invalid([{ path: '/user', message }]);
  }
}

/** Disables an account as of `disabledAt`, or enables it again (null). */
export async function setDisabledAt(
  uow: UnitOfWork,
  userId: string,
  disabledAt: Date | null,
): Promise<void> {
  await updateDisabledAt.send(uow.pipeline, { id: userId, disabledAt });
}

/** Makes an account a staff account with this role, or removes it from staff (null). */
export async function setStaffRole(
  uow: UnitOfWork,
  userId: string,
  staffRole: StaffRole | null,
): Promise<void> {
  await updateStaffRole.send(uow.pipeline, { id: userId, staffRole });
}

/** Stores the hash of a new password. Does not end any session. */
export async function setPasswordHash(
  uow: UnitOfWork,
  userId: string,
  hash: string,
): Promise<void> {
  await updatePasswordHash.send(uow.pipeline, { id: userId, passwordHash: hash });
}

/**
 * Ends every session of a user, here and at the OAuth server, including sessions that are being opened now. Returns how
 * many sessions here ended.
 */
export async function endSessions(uow: UnitOfWork, userId: string): Promise<number> {
  await updateSessionVersion.send(uow.pipeline, { id: userId });
  return deleteSessionsOf.run(uow.sql, { userId });
}
