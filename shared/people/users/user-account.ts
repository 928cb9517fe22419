import type { Clock } from '../../platform/clock.ts';
import { allowsDemoAccounts, type Config } from '../../platform/config/config.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { fail, invalid } from '../../platform/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { assertValidPassword, hashPassword } from './password.ts';
import {
  deleteSessionsOf,
  incrementSessionVersion,
  insertUser,
  lockUser,
  selectUserByEmail,
  selectUserById,
  updateUser,
} from './user.store.ts';
import { canonicalEmail, type Role, type User, type UserAccount } from './user.ts';

/** Opens an account for a person. @throws validation_error, conflict (`already_exists`) */
export async function createUser(
  { db, clock }: { db: Database; clock: Clock },
  actor: string,
  input: { email: string; password: string; role: Role; demo?: boolean },
): Promise<User> {
  const { password, role } = input;
  const email = canonicalEmail(input.email);
  assertValidPassword(password);
  const now = clock.now();
  const user: User = { id: newId('user', now), email, role };
  const passwordHash = await hashPassword(password);
  await db.transact(async (tx) => {
    const demo = input.demo ?? false;
    await insertUser(tx, { ...user, passwordHash, createdAt: now, demo });
    const after = { email, role };
    await recordAudit(tx, { actor, action: 'user:create', subject: user.id, after }, now);
  });
  return user;
}

/** The user with this e-mail address, or undefined. @throws validation_error */
export async function findUser({ db }: { db: Database }, email: string): Promise<User | undefined> {
  const found = await selectUserByEmail(db.knex, canonicalEmail(email));
  return found && { id: found.id, email: found.email, role: found.role };
}

/** The user with this id who may sign in; undefined when there is none, or the account is disabled or refused here. */
export async function findActiveUser(
  { db, config }: { db: Database; config: Config },
  id: string,
): Promise<UserAccount | undefined> {
  const found = await selectUserById(db.knex, id);
  if (!found || found.disabledAt || (found.demo && !allowsDemoAccounts(config))) return undefined;
  return found;
}

/**
 * The account with this id or e-mail address, held until the transaction ends.
 * @throws not_found, validation_error (neither an id nor an address)
 */
export async function lockAccount(tx: Tx, who: string): Promise<UserAccount> {
  const found = await lockUser(tx, isId('user', who) ? { id: who } : { email: emailOf(who) });
  if (!found) throw fail('not_found', { message: `There is no user ${who}.` });
  return found;
}

function emailOf(who: string): string {
  try {
    return canonicalEmail(who);
  } catch {
    const message = 'must be the id of a user (usr_...) or an e-mail address';
    throw invalid([{ path: '/user', message }]);
  }
}

/** Closes an account at this moment, or opens it again (null). */
export async function setDisabledAt(
  tx: Tx,
  userId: string,
  disabledAt: Date | null,
): Promise<void> {
  await updateUser(tx, userId, { disabledAt });
}

/** Stores the hash of another password; who is signed in stays so. */
export async function setPasswordHash(tx: Tx, userId: string, hash: string): Promise<void> {
  await updateUser(tx, userId, { passwordHash: hash });
}

/**
 * Ends every session of a user, here and at the OAuth server, those that are being opened at this moment
 * included. Says how many of ours there were.
 */
export async function endSessions(tx: Tx, userId: string): Promise<number> {
  await incrementSessionVersion(tx, userId);
  return deleteSessionsOf(tx, userId);
}
