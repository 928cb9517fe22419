import { createHash } from 'node:crypto';
import type { Reseal } from '../../platform/crypto/secrets.ts';
import { prepared, type Sql } from '../../platform/database/postgres.ts';

/** What is stored of a token, code or cookie; they are random, so a plain digest can't be searched backwards. */
export function tokenDigest(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}

export async function insertClient(
  sql: Sql,
  client: { id: string; metadata: object; createdAt: Date },
): Promise<void> {
  await sql('oauth_clients').insert({
    id: client.id,
    metadata: JSON.stringify(client.metadata),
    created_at: client.createdAt,
  });
}

export async function selectClient(
  sql: Sql,
  id: string,
): Promise<Record<string, unknown> | undefined> {
  const { rows } = await sql.raw('select metadata from oauth_clients where id = :id', { id });
  return rows[0]?.metadata;
}

/** Clients registered before `before` under which nobody is signed in. */
export async function deleteUnusedClients(sql: Sql, before: Date, limit: number): Promise<number> {
  const result = await sql.raw(
    `delete from oauth_clients where id in (
       select c.id from oauth_clients c
       where c.created_at < :before
         and not exists (select from oauth_grants g where g.client_id = c.id)
       limit :limit)`,
    { before, limit },
  );
  return result.rowCount ?? 0;
}

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

export type BrowserKind = 'Session' | 'Interaction';

export interface BrowserRow {
  idHash: Buffer;
  payloadSealed: Buffer;
}

export async function upsertBrowser(
  sql: Sql,
  row: BrowserRow & { kind: BrowserKind; uid: string | null; expiresAt: Date },
): Promise<void> {
  await sql.raw(
    `insert into oauth_browsers (id_hash, kind, uid, payload_sealed, expires_at)
     values (:idHash, :kind, :uid, :payloadSealed, :expiresAt)
     on conflict (id_hash) do update set
       uid = excluded.uid, payload_sealed = excluded.payload_sealed, expires_at = excluded.expires_at`,
    { ...row },
  );
}

export async function selectBrowser(
  sql: Sql,
  by: { kind: BrowserKind; idHash: Buffer } | { kind: BrowserKind; uid: string },
  now: Date,
): Promise<BrowserRow | undefined> {
  const { rows } = await sql.raw(
    `select id_hash as "idHash", payload_sealed as "payloadSealed" from oauth_browsers
     where kind = :kind and ${'uid' in by ? 'uid = :uid' : 'id_hash = :idHash'} and expires_at > :now
     order by expires_at desc limit 1`,
    { ...by, now },
  );
  return rows[0];
}

export async function deleteBrowser(sql: Sql, idHash: Buffer): Promise<void> {
  await sql('oauth_browsers').where({ id_hash: idHash }).delete();
}

export async function deleteExpiredBrowsers(sql: Sql, now: Date, limit: number): Promise<number> {
  const result = await sql.raw(
    `delete from oauth_browsers where id_hash in (
       select id_hash from oauth_browsers where expires_at <= :now limit :limit)`,
    { now, limit },
  );
  return result.rowCount ?? 0;
}

export async function selectPayloads(
  sql: Sql,
  afterIdHash: Buffer,
  limit: number,
): Promise<BrowserRow[]> {
  const { rows } = await sql.raw(
    `select id_hash as "idHash", payload_sealed as "payloadSealed" from oauth_browsers
     where id_hash > :afterIdHash order by id_hash limit :limit`,
    { afterIdHash, limit },
  );
  return rows;
}

/** Replaces payloads that nobody else replaced meanwhile. */
export async function replacePayloads(
  sql: Sql,
  reseals: readonly Reseal<Buffer>[],
): Promise<number> {
  const result = await sql.raw(
    `update oauth_browsers b set payload_sealed = r.after
     from unnest(:ids::bytea[], :befores::bytea[], :afters::bytea[]) as r (id, before, after)
     where b.id_hash = r.id and b.payload_sealed = r.before`,
    {
      ids: reseals.map(({ id }) => id),
      befores: reseals.map(({ before }) => before),
      afters: reseals.map(({ after }) => after),
    },
  );
  return result.rowCount ?? 0;
}
