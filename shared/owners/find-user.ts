import { allowsDemoAccounts, type Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { selectUserByEmail, selectUserById } from './user.store.ts';
import { canonicalEmail, type User, type UserAccount } from './user.ts';

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
