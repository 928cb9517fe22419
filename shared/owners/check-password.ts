import { allowsDemoAccounts, type Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { fail } from '../platform/errors.ts';
import { MAX_PASSWORD, UNMATCHABLE_HASH, verifyPassword } from './password.ts';
import { selectUserByEmail } from './user.store.ts';
import type { User } from './user.ts';

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
  const found = await selectUserByEmail(db.knex, given.email.trim().toLowerCase());
  const password = given.password.slice(0, MAX_PASSWORD + 1);
  const matches = await verifyPassword(password, found?.passwordHash ?? UNMATCHABLE_HASH);
  if (!found || !matches || (found.demo && !allowsDemoAccounts(config))) return undefined;
  if (found.disabledAt) throw fail('forbidden', { message: 'This account is disabled.' });
  const { id, email, role, sessionVersion } = found;
  return { id, email, role, sessionVersion };
}
