import { randomBytes, scryptSync } from 'node:crypto';
import { recordAudit } from '../../shared/people/audit/audit-log.ts';
import type { Role, User } from '../../shared/people/users/user.ts';
import { newId } from '../../shared/platform/ids.ts';
import { unique } from './factories.ts';
import type { Runtime } from './runtime.ts';

export const PASSWORD = 'a long enough password';

/** With the least cost: made as `createUser` makes it, a hash takes longer than most tests, and each sign-in again. */
const PASSWORD_HASH = cheapHash(PASSWORD);

/** An account whose password is {@link PASSWORD}. */
export async function givenAccount(
  { db, clock }: Pick<Runtime, 'db' | 'clock'>,
  role: Role,
): Promise<User> {
  const now = clock.now();
  const user: User = { id: newId('user', now), email: `${role}-${unique()}@example.com`, role };
  await db.transact(async (uow) => {
    await uow.sql('users').insert({ ...user, password_hash: PASSWORD_HASH, created_at: now });
    const after = { email: user.email, role };
    await recordAudit(uow, { actor: 'test', action: 'user:create', subject: user.id, after });
  });
  return user;
}

function cheapHash(password: string): string {
  const salt = randomBytes(16);
  const key = scryptSync(password, salt, 32, { N: 16, r: 8, p: 1 });
  return `$scrypt$ln=4,r=8,p=1$${salt.toString('base64url')}$${key.toString('base64url')}`;
}
