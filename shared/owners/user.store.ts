import type { Sql, Tx } from '../platform/db.ts';
import { conflict, violates } from '../platform/errors.ts';
import type { User } from './user.ts';

/** Keeps a new user. @throws conflict (`already_exists`) */
export async function insertUser(
  tx: Tx,
  user: User & { passwordHash: string; createdAt: Date },
): Promise<void> {
  try {
    await tx('users').insert({
      id: user.id,
      email: user.email,
      password_hash: user.passwordHash,
      role: user.role,
      created_at: user.createdAt,
    });
  } catch (error) {
    if (violates(error, 'users_email_key')) {
      throw conflict('already_exists', `There is a user ${user.email} already.`);
    }
    throw error;
  }
}

export async function selectUserByEmail(
  sql: Sql,
  email: string,
): Promise<(User & { passwordHash: string }) | undefined> {
  const { rows } = await sql.raw(
    `select id, email, role, password_hash as "passwordHash" from users where email = :email`,
    { email },
  );
  return rows[0];
}

export async function selectUserById(sql: Sql, id: string): Promise<User | undefined> {
  const { rows } = await sql.raw('select id, email, role from users where id = :id', { id });
  return rows[0];
}
