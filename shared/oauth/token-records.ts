import { addMs, type Clock, SECOND } from '../platform/clock.ts';
import { allowsDemoAccounts, type Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { tokenDigest } from './digest.ts';
import { markGrantRevoked } from './grant.store.ts';
import {
  consumeOnce,
  deleteToken,
  insertToken,
  revokeGrantOfToken,
  selectToken,
  type TokenKind,
} from './token.store.ts';

/** What is kept of a code or token. Members that are not named here are kept as they are. */
export interface TokenPayload {
  grantId?: string | undefined;
  /** Separated by spaces. */
  scope?: string | undefined;
  aud?: string | undefined;
  jti?: string | undefined;
  consumed?: unknown;
  [member: string]: unknown;
}

/** Codes and tokens of one kind. Their life is counted by the runtime's clock. */
export interface TokenRecords {
  save(token: string, payload: TokenPayload, ttlSeconds: number): Promise<void>;
  /** With `consumed` set when it was used. Undefined when unknown, expired, or its grant was revoked. */
  find(token: string): Promise<TokenPayload | undefined>;
  /** Uses it up. False when it was used before: then its grant is revoked, with all that came of it. */
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
      await insertToken(db.knex, {
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
      const found = await selectToken(
        db.knex,
        kind,
        tokenDigest(token),
        clock.now(),
        allowsDemoAccounts(config),
      );
      if (!found) return undefined;
      const payload = { ...found.payload, jti: token };
      return found.consumedAt ? { ...payload, consumed: true } : payload;
    },
    async consume(token) {
      const hash = tokenDigest(token);
      if (await consumeOnce(db.knex, hash, clock.now())) return true;
      await revokeGrantOfToken(db.knex, hash, clock.now());
      return false;
    },
    remove: (token) => deleteToken(db.knex, tokenDigest(token)),
    revokeGrant: (grantId) => markGrantRevoked(db.knex, grantId, clock.now()),
  };
}
