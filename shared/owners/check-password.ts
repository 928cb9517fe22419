import type { Database } from '../platform/db.ts';
import { MAX_PASSWORD, NO_PASSWORD, passwordMatches } from './password.ts';
import { selectUserByEmail } from './user.store.ts';
import type { User } from './user.ts';

/**
 * The user with this address and password. An unknown address costs the same work, and gives the same
 * answer, as a wrong password, so that nothing is learnt about who has an account.
 */
export async function checkPassword(
  { db }: { db: Database },
  given: { email: string; password: string },
): Promise<User | undefined> {
  const found = await selectUserByEmail(db.knex, given.email.trim().toLowerCase());
  const password = given.password.slice(0, MAX_PASSWORD + 1);
  const matches = await passwordMatches(password, found?.passwordHash ?? NO_PASSWORD);
  return found && matches ? { id: found.id, email: found.email, role: found.role } : undefined;
}
