import { prepared, type Sql } from '../platform/db.ts';

export type TokenKind = 'AuthorizationCode' | 'AccessToken' | 'RefreshToken';

export interface TokenRow {
  payload: Record<string, unknown>;
  consumedAt: Date | null;
}

export async function insertToken(
  sql: Sql,
  token: {
    hash: Buffer;
    kind: TokenKind;
    grantId: string;
    scopes: readonly string[];
    audience: string | null;
    payload: object;
    createdAt: Date;
    expiresAt: Date;
  },
): Promise<void> {
  await sql.raw(
    `insert into oauth_tokens
       (token_hash, kind, grant_id, scopes, audience, payload, created_at, expires_at)
     values (:hash, :kind, :grantId, :scopes, :audience, :payload, :createdAt, :expiresAt)`,
    { ...token, scopes: [...token.scopes], payload: JSON.stringify(token.payload) },
  );
}

/**
 * One that is in force at `now`, used up or not, under a grant that is, of a user who is not disabled; `demo`
 * says whether users of the demo count.
 */
export async function selectToken(
  sql: Sql,
  kind: TokenKind,
  hash: Buffer,
  now: Date,
  demo: boolean,
): Promise<TokenRow | undefined> {
  const { rows } = await sql.raw(
    `select t.payload, t.consumed_at as "consumedAt"
     from oauth_tokens t join oauth_grants g on g.id = t.grant_id join users u on u.id = g.user_id
     where t.token_hash = :hash and t.kind = :kind and t.expires_at > :now and g.revoked_at is null
       and u.disabled_at is null and (:demo or not u.demo)`,
    { hash, kind, now, demo },
  );
  return rows[0];
}

/** Marks as used; false when somebody else did, or the token is gone. */
export async function consumeOnce(sql: Sql, hash: Buffer, now: Date): Promise<boolean> {
  const result = await sql.raw(
    'update oauth_tokens set consumed_at = :now where token_hash = :hash and consumed_at is null',
    { hash, now },
  );
  return result.rowCount === 1;
}

/** Ends the grant that a token was issued under. */
export async function revokeGrantOfToken(sql: Sql, hash: Buffer, now: Date): Promise<void> {
  await sql.raw(
    `update oauth_grants set revoked_at = :now
     where id = (select grant_id from oauth_tokens where token_hash = :hash) and revoked_at is null`,
    { hash, now },
  );
}

export async function deleteToken(sql: Sql, hash: Buffer): Promise<void> {
  await sql('oauth_tokens').where({ token_hash: hash }).delete();
}

/** Who an access token speaks for, if it is good for `audience` at `now`. */
export async function selectAccess(
  sql: Sql,
  hash: Buffer,
  audience: string,
  now: Date,
  demo: boolean,
): Promise<
  { userId: string; clientId: string; scopes: readonly string[]; expiresAt: Date } | undefined
> {
  const { rows } = await prepared(
    sql,
    `select g.user_id as "userId", g.client_id as "clientId", t.scopes, t.expires_at as "expiresAt"
     from oauth_tokens t join oauth_grants g on g.id = t.grant_id join users u on u.id = g.user_id
     where t.token_hash = :hash and t.kind = 'AccessToken' and t.audience = :audience
       and t.expires_at > :now and g.revoked_at is null and u.disabled_at is null
       and (:demo or not u.demo)`,
    { hash, audience, now, demo },
  );
  return rows[0];
}

export async function deleteExpiredTokens(sql: Sql, now: Date, limit: number): Promise<number> {
  const result = await sql.raw(
    `delete from oauth_tokens where token_hash in (
       select token_hash from oauth_tokens where expires_at <= :now limit :limit)`,
    { now, limit },
  );
  return result.rowCount ?? 0;
}
