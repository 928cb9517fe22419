import type { Tx } from '../platform/db.ts';
import { fail, invalid } from '../platform/errors.ts';
import { isId } from '../platform/ids.ts';
import { deleteSessionsOf } from './session.store.ts';
import { incrementSessionVersion, lockUser, updateUser } from './user.store.ts';
import { canonicalEmail, type UserAccount } from './user.ts';

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
