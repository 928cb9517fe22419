import { recordAudit } from '../audit/record-audit.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import { invalid } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { hashPassword, MAX_PASSWORD, MIN_PASSWORD } from './password.ts';
import { insertUser } from './user.store.ts';
import { canonicalEmail, type Role, type User } from './user.ts';

/** Opens an account for a person. @throws validation_error, conflict (`already_exists`) */
export async function createUser(
  { db, clock }: { db: Database; clock: Clock },
  actor: string,
  input: { email: string; password: string; role: Role },
): Promise<User> {
  const { password, role } = input;
  const email = canonicalEmail(input.email);
  if (password.length < MIN_PASSWORD || password.length > MAX_PASSWORD) {
    const message = `must have ${MIN_PASSWORD} to ${MAX_PASSWORD} characters`;
    throw invalid([{ path: '/password', message }]);
  }
  const now = clock.now();
  const user: User = { id: newId('user', now), email, role };
  const passwordHash = await hashPassword(password);
  await db.transact(async (tx) => {
    await insertUser(tx, { ...user, passwordHash, createdAt: now });
    const after = { email, role };
    await recordAudit(tx, { actor, action: 'user:create', subject: user.id, after }, now);
  });
  return user;
}
