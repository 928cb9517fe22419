import type { Database } from '../platform/db.ts';
import { selectUserByEmail } from './user.store.ts';
import { canonicalEmail, type User } from './user.ts';

/** The user with this e-mail address, or undefined. @throws validation_error */
export async function findUser({ db }: { db: Database }, email: string): Promise<User | undefined> {
  const found = await selectUserByEmail(db.knex, canonicalEmail(email));
  return found && { id: found.id, email: found.email, role: found.role };
}
