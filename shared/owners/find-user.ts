import type { Database } from '../platform/db.ts';
import { selectUserByEmail, selectUserById } from './user.store.ts';
import { canonicalEmail, type User } from './user.ts';

/** The user with this e-mail address, or undefined. @throws validation_error */
export async function findUser({ db }: { db: Database }, email: string): Promise<User | undefined> {
  const found = await selectUserByEmail(db.knex, canonicalEmail(email));
  return found && { id: found.id, email: found.email, role: found.role };
}

/** The user with this id, or undefined. */
export async function findUserById(
  { db }: { db: Database },
  id: string,
): Promise<User | undefined> {
  return selectUserById(db.knex, id);
}
