import type { Sql, Tx } from '../platform/db.ts';
import { conflict, violatesConstraint } from '../platform/errors.ts';
import type { User, UserAccount } from './user.ts';

const USER_COLUMNS = `id, email, role, disabled_at as "disabledAt", session_version as "sessionVersion", demo`;

/** Keeps a new user. @throws conflict (`already_exists`) */
export async function insertUser(
  tx: Tx,
  user: User & { passwordHash: string; createdAt: Date; demo: boolean },
): Promise<void> {
  try {
    await tx('users').insert({
      id: user.id,
      email: user.email,
      password_hash: user.passwordHash,
      role: user.role,
      created_at: user.createdAt,
      demo: user.demo,
    });
  } catch (error) {
    if (violatesConstraint(error, 'users_email_key')) {
      throw conflict('already_exists', `There is a user ${user.email} already.`);
    }
    throw error;
  }
}

export async function selectUserByEmail(
  sql: Sql,
  email: string,
): Promise<(UserAccount & { passwordHash: string }) | undefined> {
  const { rows } = await sql.raw(
    `select ${USER_COLUMNS}, password_hash as "passwordHash" from users where email = :email`,
    { email },
  );
  return rows[0];
}

export async function selectUserById(sql: Sql, id: string): Promise<UserAccount | undefined> {
  const { rows } = await sql.raw(`select ${USER_COLUMNS} from users where id = :id`, { id });
  return rows[0];
}

/** Holds the user until the transaction ends. */
export async function lockUser(
  tx: Tx,
  by: { id: string } | { email: string },
): Promise<UserAccount | undefined> {
  const column = 'id' in by ? 'id = :id' : 'email = :email';
  const { rows } = await tx.raw(`select ${USER_COLUMNS} from users where ${column} for update`, by);
  return rows[0];
}

export async function updateUser(
  tx: Tx,
  id: string,
  change: { disabledAt: Date | null } | { passwordHash: string },
): Promise<void> {
  await tx('users')
    .where({ id })
    .update(
      'disabledAt' in change
        ? { disabled_at: change.disabledAt }
        : { password_hash: change.passwordHash },
    );
}

export async function incrementSessionVersion(tx: Tx, id: string): Promise<void> {
  await tx('users').where({ id }).increment('session_version', 1);
}
