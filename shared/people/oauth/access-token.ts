import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import { allowsDemoAccounts, type Config } from '../../platform/config/config.ts';
import { selectAccess, tokenDigest } from './oauth.store.ts';

/** The user, client and scopes of an access token. */
export interface Access {
  userId: string;
  clientId: string;
  scopes: readonly string[];
  expiresAt: Date;
}

/** Returns a token's access; undefined if it is unknown, expired, revoked or for another resource. One statement. */
export async function verifyAccessToken(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  token: string,
): Promise<Access | undefined> {
  return selectAccess.first(db.knex, {
    hash: tokenDigest(token),
    audience: apiResource(config),
    now: clock.now(),
    demo: allowsDemoAccounts(config),
  });
}

/** Returns the only resource that tokens are valid for (RFC 8707, RFC 9728): the public API. */
export function apiResource({ baseUrl }: { baseUrl: string }): string {
  return `${baseUrl}/api`;
}

/** The scopes that a user can grant to a client. */
export const OAUTH_SCOPES = ['pricing:read', 'domains:manage'] as const;

export type OAuthScope = (typeof OAUTH_SCOPES)[number];

/** Whether a scope allows sensitive actions, so that consent to it requires a fresh second factor. */
export const IS_DANGEROUS: Readonly<Record<OAuthScope, boolean>> = {
  'pricing:read': false,
  'domains:manage': true,
};

/** The scope that is granted if a client requests none. */
export const DEFAULT_SCOPE: OAuthScope = 'pricing:read';
