import { createHash } from 'node:crypto';
import type { Reseal } from '../../platform/crypto/secrets.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  bytea,
  jsonb,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';

const payload = jsonb<Record<string, unknown>>();

/** Returns the stored digest of a token, code or cookie. They are random, so a plain digest cannot be reversed. */
export function tokenDigest(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}

/** Inserts a registered client. */
export const insertClient = defineStatement({
  params: { id: text, metadata: payload, createdAt: timestamptz },
  text: `insert into oauth_clients (id, metadata, created_at) values (:id, :metadata, :createdAt)`,
});

/** Selects the registered metadata of a client. */
export const selectClient = defineStatement({
  params: { id: text },
  row: { metadata: payload },
  text: 'select metadata from oauth_clients where id = :id',
});

/** Records when a client was first authorized by a user. */
export const updateClientUsed = defineStatement({
  params: { id: text, now: timestamptz },
  text: `update oauth_clients set first_used_at = :now where id = :id and first_used_at is null`,
});

/** Inserts a grant or updates its payload. */
export const upsertGrant = defineStatement({
  params: { id: text, userId: text, clientId: text, payload, createdAt: timestamptz },
  text: `insert into oauth_grants (id, user_id, client_id, payload, created_at)
    values (:id, :userId, :clientId, :payload, :createdAt)
    on conflict (id) do update set payload = excluded.payload`,
});

/** Selects a grant that is not revoked. */
export const selectGrant = defineStatement({
  params: { id: text },
  row: { payload },
  text: 'select payload from oauth_grants where id = :id and revoked_at is null',
});

/** Selects whether the user has a grant to this client that is not revoked. */
export const selectGrantExists = defineStatement({
  params: { userId: text, clientId: text },
  row: { found: boolean },
  text: `select exists(select from oauth_grants
      where client_id = :clientId and user_id = :userId and revoked_at is null) as found`,
});

/** Revokes a grant. Everything issued under it becomes invalid, including tokens that are being issued now. */
export const updateGrantRevoked = defineStatement({
  params: { id: text, now: timestamptz },
  text: 'update oauth_grants set revoked_at = :now where id = :id and revoked_at is null',
});

/** Revokes the grants of one user, to one client or to all (null). */
export const updateUserGrantsRevoked = defineStatement({
  params: { userId: text, clientId: nullable(text), now: timestamptz },
  text: `update oauth_grants set revoked_at = :now
    where user_id = :userId and revoked_at is null
      and (:clientId::text is null or client_id = :clientId)`,
});

/** Records the user session in which a grant was given. */
export const updateGrantSession = defineStatement({
  params: { id: text, sessionId: text },
  text: `update oauth_grants g set session_id = s.id from user_sessions s
    where g.id = :id and s.user_id = g.user_id and s.id::text = :sessionId`,
});

/** Revokes the grants that one user gave in one session. */
export const updateSessionGrantsRevoked = defineStatement({
  params: { userId: text, sessionId: text, now: timestamptz },
  text: `update oauth_grants set revoked_at = :now
    where user_id = :userId and revoked_at is null and session_id::text = :sessionId`,
});

/** Revokes the grants that one user gave in any session except that of this token. */
export const updateOtherGrantsRevoked = defineStatement({
  params: { userId: text, tokenHash: bytea, now: timestamptz },
  text: `update oauth_grants set revoked_at = :now
    where user_id = :userId and revoked_at is null and session_id is distinct from
      (select id from user_sessions where token_hash = :tokenHash)`,
});

export type TokenKind = 'AuthorizationCode' | 'AccessToken' | 'RefreshToken';

/** Inserts a code or token by its digest. */
export const insertToken = defineStatement({
  params: {
    hash: bytea,
    kind: textOf<TokenKind>(),
    grantId: text,
    scopes: arrayOf(text),
    audience: nullable(text),
    payload,
    createdAt: timestamptz,
    expiresAt: timestamptz,
  },
  text: `insert into oauth_tokens
      (token_hash, kind, grant_id, scopes, audience, payload, created_at, expires_at)
    values (:hash, :kind, :grantId, :scopes, :audience, :payload, :createdAt, :expiresAt)`,
});

/**
 * Selects a token that is valid at `now`, whether used up or not: its grant is valid and its user is not disabled.
 * `demo` says whether demo users count. A code is valid only while the session in which it was issued is open.
 */
export const selectToken = defineStatement({
  params: { hash: bytea, kind: textOf<TokenKind>(), now: timestamptz, demo: boolean },
  row: { payload, consumedAt: nullable(timestamptz) },
  text: `select t.payload, t.consumed_at as "consumedAt"
    from oauth_tokens t join oauth_grants g on g.id = t.grant_id join users u on u.id = g.user_id
    where t.token_hash = :hash and t.kind = :kind and t.expires_at > :now and g.revoked_at is null
      and u.disabled_at is null and (:demo or not u.demo)
      and (t.kind <> 'AuthorizationCode' or exists (select from user_sessions s
        where s.id = g.session_id and s.expires_at > :now
          and s.session_version = u.session_version))`,
});

/** Marks a token as used. Changes no row if it was already used or is gone. */
export const updateConsumed = defineStatement({
  params: { hash: bytea, now: timestamptz },
  text: 'update oauth_tokens set consumed_at = :now where token_hash = :hash and consumed_at is null',
});

/** Revokes the grant that a token was issued under. */
export const updateGrantOfTokenRevoked = defineStatement({
  params: { hash: bytea, now: timestamptz },
  text: `update oauth_grants set revoked_at = :now
    where id = (select grant_id from oauth_tokens where token_hash = :hash) and revoked_at is null`,
});

/** Deletes a code or token. */
export const deleteToken = defineStatement({
  params: { hash: bytea },
  text: 'delete from oauth_tokens where token_hash = :hash',
});

/** Selects the user and client of an access token, if it is valid for `audience` at `now`. */
export const selectAccess = defineStatement({
  params: { hash: bytea, audience: text, now: timestamptz, demo: boolean },
  row: { userId: text, clientId: text, scopes: arrayOf(text), expiresAt: timestamptz },
  text: `select g.user_id as "userId", g.client_id as "clientId", t.scopes, t.expires_at as "expiresAt"
    from oauth_tokens t join oauth_grants g on g.id = t.grant_id join users u on u.id = g.user_id
    where t.token_hash = :hash and t.kind = 'AccessToken' and t.audience = :audience
      and t.expires_at > :now and g.revoked_at is null and u.disabled_at is null
      and (:demo or not u.demo)`,
  plan: 'once',
});

export type BrowserKind = 'Session' | 'Interaction';

const BROWSER_COLUMNS = `id_hash as "idHash", payload_sealed as "payloadSealed"`;
const BROWSER = { idHash: bytea, payloadSealed: bytea };
/** A signed-in browser, or an authorization request that waits for a person. */
export type BrowserRow = RowOf<typeof BROWSER>;

/** Inserts or updates a browser. */
export const upsertBrowser = defineStatement({
  params: {
    ...BROWSER,
    kind: textOf<BrowserKind>(),
    uid: nullable(text),
    expiresAt: timestamptz,
  },
  text: `insert into oauth_browsers (id_hash, kind, uid, payload_sealed, expires_at)
    values (:idHash, :kind, :uid, :payloadSealed, :expiresAt)
    on conflict (id_hash) do update set
      uid = excluded.uid, payload_sealed = excluded.payload_sealed, expires_at = excluded.expires_at`,
});

/** Selects the browser with this id digest, if it has not expired at `now`. */
export const selectBrowser = defineStatement({
  params: { kind: textOf<BrowserKind>(), idHash: bytea, now: timestamptz },
  row: BROWSER,
  text: `select ${BROWSER_COLUMNS} from oauth_browsers
    where kind = :kind and id_hash = :idHash and expires_at > :now`,
});

/** Selects the browser with this `uid` that expires last. */
export const selectBrowserByUid = defineStatement({
  params: { kind: textOf<BrowserKind>(), uid: text, now: timestamptz },
  row: BROWSER,
  text: `select ${BROWSER_COLUMNS} from oauth_browsers
    where kind = :kind and uid = :uid and expires_at > :now
    order by expires_at desc limit 1`,
});

/** Deletes a browser. */
export const deleteBrowser = defineStatement({
  params: { idHash: bytea },
  text: 'delete from oauth_browsers where id_hash = :idHash',
});

/** Selects a page of the sealed payloads of all browsers. */
export const selectPayloads = defineStatement({
  params: { afterIdHash: bytea, limit: bigint },
  row: BROWSER,
  text: `select ${BROWSER_COLUMNS} from oauth_browsers
    where id_hash > :afterIdHash order by id_hash limit :limit`,
});

/** Replaces payloads that did not change meanwhile. */
export const updatePayloads = defineStatement({
  params: { ids: arrayOf(bytea), befores: arrayOf(bytea), afters: arrayOf(bytea) },
  text: `update oauth_browsers b set payload_sealed = r.after
    from unnest(:ids::bytea[], :befores::bytea[], :afters::bytea[]) as r (id, before, after)
    where b.id_hash = r.id and b.payload_sealed = r.before`,
});

/** Replaces payloads that did not change meanwhile, and returns how many. */
export function replacePayloads(sql: Sql, reseals: readonly Reseal<Buffer>[]): Promise<number> {
  return updatePayloads.run(sql, {
    ids: reseals.map(({ id }) => id),
    befores: reseals.map(({ before }) => before),
    afters: reseals.map(({ after }) => after),
  });
}
