import type { Sql } from '../platform/db.ts';

export async function upsertGrant(
  sql: Sql,
  grant: { id: string; userId: string; clientId: string; payload: object; createdAt: Date },
): Promise<void> {
  await sql.raw(
    `insert into oauth_grants (id, user_id, client_id, payload, created_at)
     values (:id, :userId, :clientId, :payload, :createdAt)
     on conflict (id) do update set payload = excluded.payload`,
    { ...grant, payload: JSON.stringify(grant.payload) },
  );
}

/** One that was not revoked. */
export async function selectGrant(
  sql: Sql,
  id: string,
): Promise<Record<string, unknown> | undefined> {
  const { rows } = await sql.raw(
    'select payload from oauth_grants where id = :id and revoked_at is null',
    { id },
  );
  return rows[0]?.payload;
}

/** Whether the user has a grant of this client that was not revoked. */
export async function grantExists(sql: Sql, userId: string, clientId: string): Promise<boolean> {
  const { rows } = await sql.raw(
    `select exists(select from oauth_grants
       where client_id = :clientId and user_id = :userId and revoked_at is null) as found`,
    { userId, clientId },
  );
  return rows[0].found;
}

/** From now on nothing that was issued under it is good, what is being issued at this moment included. */
export async function markGrantRevoked(sql: Sql, id: string, now: Date): Promise<void> {
  await sql.raw('update oauth_grants set revoked_at = :now where id = :id and revoked_at is null', {
    id,
    now,
  });
}

/** Ends the grants of one user, to one client or to all, and says how many there were. */
export async function markUserGrantsRevoked(
  sql: Sql,
  of: { userId: string; clientId: string | null },
  now: Date,
): Promise<number> {
  const result = await sql.raw(
    `update oauth_grants set revoked_at = :now
     where user_id = :userId and revoked_at is null
       and ${of.clientId === null ? 'true' : 'client_id = :clientId'}`,
    { ...of, now },
  );
  return result.rowCount ?? 0;
}

/** Grants made before `before` of which nothing is left, or nothing is good. */
export async function deleteSpentGrants(sql: Sql, before: Date, limit: number): Promise<number> {
  const result = await sql.raw(
    `delete from oauth_grants where id in (
       select g.id from oauth_grants g
       where g.created_at < :before and (g.revoked_at < :before
         or not exists (select from oauth_tokens t where t.grant_id = g.id))
       limit :limit)`,
    { before, limit },
  );
  return result.rowCount ?? 0;
}
