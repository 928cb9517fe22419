import { recordAudit } from '../audit/record-audit.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import { newId } from '../platform/ids.ts';
import { assertValidPassword, hashPassword } from './password.ts';
import { insertUser } from './user.store.ts';
import { canonicalEmail, type Role, type User } from './user.ts';

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
