import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, type Clock, SECOND } from '../../platform/clock.ts';
import { allowsDemoAccounts, type Config } from '../../platform/config/config.ts';
import { type Resealed, resealColumn, type SecretBox } from '../../platform/crypto/secrets.ts';
import { findSessionById, hashSessionToken } from '../users/user-session.ts';
import {
  type BrowserKind,
  type BrowserRow,
  deleteBrowser,
  deleteToken,
  insertClient,
  insertToken,
  replacePayloads,
  selectBrowser,
  selectBrowserByUid,
  selectClient,
  selectGrant,
  selectGrantExists,
  selectPayloads,
  selectToken,
  type TokenKind,
  tokenDigest,
  updateClientUsed,
  updateConsumed,
  updateGrantOfTokenRevoked,
  updateGrantRevoked,
  updateGrantSession,
  updateOtherGrantsRevoked,
  updateSessionGrantsRevoked,
  updateUserGrantsRevoked,
  upsertBrowser,
  upsertGrant,
} from './oauth.store.ts';

/** Registered clients. */
export interface ClientRecords {
  save(id: string, metadata: Record<string, unknown>): Promise<void>;
  find(id: string): Promise<Record<string, unknown> | undefined>;
}

export function clientRecords({ db, clock }: { db: Database; clock: Clock }): ClientRecords {
  return {
    async save(id, metadata) {
      await insertClient.run(db.knex, { id, metadata, createdAt: clock.now() });
    },
    find: async (id) => (await selectClient.first(db.knex, { id }))?.metadata,
  };
}

/** The contents of a grant. */
interface GrantPayload {
  accountId?: string | undefined;
  clientId?: string | undefined;
  [member: string]: unknown;
}

/** Grants: each is one consent of one user to one client. They end only by revocation. */
export interface GrantRecords {
  save(id: string, payload: GrantPayload): Promise<void>;
  find(id: string): Promise<GrantPayload | undefined>;
  revoke(id: string): Promise<void>;
  /** Records the session in which a grant was given. Its code is valid only while that session is open. */
  bind(id: string, sessionId: string): Promise<void>;
  /** Returns whether this user has a grant to this client that is not revoked. */
  hasConsent(userId: string, clientId: string): Promise<boolean>;
}

/** Revokes a user's grants to one client or to all (null). All their tokens are rejected from now on. */
export function revokeGrants(
  uow: UnitOfWork,
  of: { userId: string; clientId: string | null },
): Promise<number> {
  return updateUserGrantsRevoked.run(uow.sql, { ...of, now: uow.now });
}

/** Revokes the grants that a user gave in one session. */
export function revokeGrantsOfSession(
  uow: UnitOfWork,
  of: { userId: string; sessionId: string },
): Promise<number> {
  return updateSessionGrantsRevoked.run(uow.sql, { ...of, now: uow.now });
}

/** Revokes the grants that a user gave in any session except that of `token`. */
export function revokeGrantsBut(
  uow: UnitOfWork,
  { userId, token }: { userId: string; token: string },
): Promise<number> {
  const kept = { userId, tokenHash: hashSessionToken(token) };
  return updateOtherGrantsRevoked.run(uow.sql, { ...kept, now: uow.now });
}

export function grantRecords({ db, clock }: { db: Database; clock: Clock }): GrantRecords {
  return {
    async save(id, payload) {
      const { accountId, clientId } = payload;
      if (!accountId || !clientId) throw new Error('a grant needs a user and a client');
      const now = clock.now();
      await updateClientUsed.run(db.knex, { id: clientId, now });
      const grant = { id, userId: accountId, clientId, payload, createdAt: now };
      await upsertGrant.run(db.knex, grant);
    },
    find: async (id) => (await selectGrant.first(db.knex, { id }))?.payload,
    async revoke(id) {
      await updateGrantRevoked.run(db.knex, { id, now: clock.now() });
    },
    async bind(id, sessionId) {
      await updateGrantSession.run(db.knex, { id, sessionId });
    },
    async hasConsent(userId, clientId) {
      return (await selectGrantExists.one(db.knex, { userId, clientId })).found;
    },
  };
}

/** The stored payload of a code or token. Other members are stored unchanged. */
export interface TokenPayload {
  grantId?: string | undefined;
  /** The scopes, separated by spaces. */
  scope?: string | undefined;
  aud?: string | undefined;
  jti?: string | undefined;
  consumed?: unknown;
  [member: string]: unknown;
}

/** Codes and tokens of one kind. Their lifetime is measured by the runtime's clock. */
export interface TokenRecords {
  save(token: string, payload: TokenPayload, ttlSeconds: number): Promise<void>;
  /** Sets `consumed` if it was used. Returns undefined if it is unknown or expired, or its grant was revoked. */
  find(token: string): Promise<TokenPayload | undefined>;
  /** Uses it up. If it was already used, returns false and revokes its grant with all tokens. */
  consume(token: string): Promise<boolean>;
  remove(token: string): Promise<void>;
  revokeGrant(grantId: string): Promise<void>;
}

export function tokenRecords(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  kind: TokenKind,
): TokenRecords {
  return {
    async save(token, { jti: _, ...payload }, ttlSeconds) {
      const now = clock.now();
      if (payload.grantId === undefined) throw new Error(`a ${kind} without a grant`);
      await insertToken.run(db.knex, {
        hash: tokenDigest(token),
        kind,
        grantId: payload.grantId,
        scopes: payload.scope?.split(' ') ?? [],
        audience: payload.aud ?? null,
        payload,
        createdAt: now,
        expiresAt: addMs(now, ttlSeconds * SECOND),
      });
    },
    async find(token) {
      const found = await selectToken.first(db.knex, {
        kind,
        hash: tokenDigest(token),
        now: clock.now(),
        demo: allowsDemoAccounts(config),
      });
      if (!found) return undefined;
      const payload = { ...found.payload, jti: token };
      return found.consumedAt ? { ...payload, consumed: true } : payload;
    },
    async consume(token) {
      const hash = tokenDigest(token);
      const consumed = await updateConsumed.run(db.knex, { hash, now: clock.now() });
      if (consumed > 0) return true;
      await updateGrantOfTokenRevoked.run(db.knex, { hash, now: clock.now() });
      return false;
    },
    async remove(token) {
      await deleteToken.run(db.knex, { hash: tokenDigest(token) });
    },
    async revokeGrant(grantId) {
      await updateGrantRevoked.run(db.knex, { id: grantId, now: clock.now() });
    },
  };
}

/** The signed-in user, and the id of the user's session as `acr`. */
interface SignedIn {
  accountId?: string | undefined;
  acr?: string | undefined;
}

export interface BrowserPayload extends SignedIn {
  uid?: string | undefined;
  /** For an authorization request that waits for a person: who is signed in at its browser. */
  session?: SignedIn | undefined;
  /** For an authorization request: the result of the person's last step. */
  result?: { login?: SignedIn } | undefined;
  [member: string]: unknown;
}

/**
 * Signed-in browsers, or authorization requests that wait for a person. Payloads are encrypted at rest. Records of a
 * user session that is no longer open are not found.
 */
export interface BrowserSessionRecords {
  save(id: string, payload: BrowserPayload, ttlSeconds: number): Promise<void>;
  find(id: string): Promise<BrowserPayload | undefined>;
  findByUid(uid: string): Promise<BrowserPayload | undefined>;
  remove(id: string): Promise<void>;
}

export function browserSessionRecords(
  deps: { db: Database; clock: Clock; config: Config; secrets: SecretBox },
  kind: BrowserKind,
): BrowserSessionRecords {
  const { db, clock, secrets } = deps;
  const opened = async (row: BrowserRow | undefined): Promise<BrowserPayload | undefined> => {
    if (!row) return undefined;
    const payload: BrowserPayload = JSON.parse(
      secrets.open(row.payloadSealed, sealContext(row.idHash)),
    );
    const { accountId: userId, acr: sessionId = '' } = signedInUser(payload);
    if (userId === undefined) return payload;
    return (await findSessionById(deps, { sessionId, userId })) ? payload : undefined;
  };
  return {
    async save(id, payload, ttlSeconds) {
      const idHash = tokenDigest(id);
      await upsertBrowser.run(db.knex, {
        idHash,
        kind,
        uid: payload.uid ?? null,
        payloadSealed: secrets.seal(JSON.stringify(payload), sealContext(idHash)),
        expiresAt: addMs(clock.now(), ttlSeconds * SECOND),
      });
    },
    async find(id) {
      const wanted = { kind, idHash: tokenDigest(id), now: clock.now() };
      return opened(await selectBrowser.first(db.knex, wanted));
    },
    findByUid: async (uid) =>
      opened(await selectBrowserByUid.first(db.knex, { kind, uid, now: clock.now() })),
    async remove(id) {
      await deleteBrowser.run(db.knex, { idHash: tokenDigest(id) });
    },
  };
}

function signedInUser({ accountId, acr, session, result }: BrowserPayload): SignedIn {
  return result?.login ?? session ?? { accountId, acr };
}

/** The context that a payload is sealed with. */
function sealContext(idHash: Buffer): string {
  return `oauth-browser:${idHash.toString('hex')}`;
}

/** Reseals the payloads of browsers with the current key. Safe to run concurrently. */
export async function resealBrowsers({
  db,
  secrets,
}: {
  db: Database;
  secrets: SecretBox;
}): Promise<Resealed> {
  return resealColumn<Buffer>(secrets, {
    async read(afterId = Buffer.alloc(0), limit) {
      const rows = await selectPayloads.all(db.knex, { afterIdHash: afterId, limit });
      return rows.map(({ idHash, payloadSealed }) => ({
        id: idHash,
        sealed: payloadSealed,
        context: sealContext(idHash),
      }));
    },
    replace: (reseals) => replacePayloads(db.knex, reseals),
  });
}
