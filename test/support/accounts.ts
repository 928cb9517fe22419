import { randomBytes, scryptSync } from 'node:crypto';
import { recordAudit } from '../../shared/people/audit/audit-log.ts';
import type { Role, StaffRole, User } from '../../shared/people/users/user.ts';
import { newId } from '../../shared/platform/ids.ts';
import { unique } from './factories.ts';
import type { Runtime } from './runtime.ts';
import { runIn } from './transaction.ts';

export const PASSWORD = 'a long enough password';

/** Hashed at the lowest cost: `createUser`'s hash takes longer than most tests, and so does each sign-in with it. */
const PASSWORD_HASH = cheapHash(PASSWORD);

/** Creates an account whose password is {@link PASSWORD}. */
export async function givenAccount(
  { db, clock }: Pick<Runtime, 'db' | 'clock'>,
  role: Role,
  staffRole: StaffRole | null = role === 'ops' ? 'admin' : null,
  email = `${role}-${unique()}@example.com`,
): Promise<User> {
  const now = clock.now();
  const id = newId('user', now);
  const row = { id, email, role, staff_role: staffRole };
  await db.transact(async (uow) => {
    const user = { ...row, password_hash: PASSWORD_HASH, created_at: now };
    await runIn(uow.sql, db.knex('users').insert(user));
    const after = { email, role };
    await recordAudit(uow, { actor: 'test', action: 'user:create', subject: id, after });
  });
  return { id, email, role, staffRole };
}

function cheapHash(password: string): string {
  const salt = randomBytes(16);
  const key = scryptSync(password, salt, 32, { N: 16, r: 8, p: 1 });
  return `$scrypt$ln=4,r=8,p=1$${salt.toString('base64url')}$${key.toString('base64url')}`;
}
