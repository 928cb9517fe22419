import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { conflict, violatesConstraint } from '../../platform/errors.ts';
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

export async function insertSession(
  tx: Tx,
  session: {
    tokenHash: Buffer;
    userId: string;
    sessionVersion: number;
    createdAt: Date;
    expiresAt: Date;
  },
): Promise<void> {
  await tx('user_sessions').insert({
    token_hash: session.tokenHash,
    user_id: session.userId,
    session_version: session.sessionVersion,
    created_at: session.createdAt,
    expires_at: session.expiresAt,
  });
}

/**
 * Who signed in with this token, if the session is open at `now` and the account still is; `demo` says
 * whether accounts of the demo count.
 */
export async function selectSession(
  sql: Sql,
  tokenHash: Buffer,
  now: Date,
  demo: boolean,
): Promise<(User & { expiresAt: Date }) | undefined> {
  const { rows } = await sql.raw(
    `select u.id, u.email, u.role, s.expires_at as "expiresAt"
     from user_sessions s join users u on u.id = s.user_id
     where s.token_hash = :tokenHash and s.expires_at > :now
       and u.disabled_at is null and s.session_version = u.session_version
       and (:demo or not u.demo)`,
    { tokenHash, now, demo },
  );
  return rows[0];
}

export async function deleteSession(sql: Sql, tokenHash: Buffer): Promise<void> {
  await sql('user_sessions').where({ token_hash: tokenHash }).delete();
}

/** Deletes the sessions of one user, and says how many there were. */
export async function deleteSessionsOf(tx: Tx, userId: string): Promise<number> {
  return tx('user_sessions').where({ user_id: userId }).delete();
}

export async function deleteExpiredSessions(sql: Sql, now: Date, limit: number): Promise<number> {
  const result = await sql.raw(
    `delete from user_sessions where token_hash in (
       select token_hash from user_sessions where expires_at <= :now limit :limit)`,
    { now, limit },
  );
  return result.rowCount ?? 0;
}
