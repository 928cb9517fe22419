import type { Sql, Tx } from '../platform/db.ts';
import type { User } from './user.ts';

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
