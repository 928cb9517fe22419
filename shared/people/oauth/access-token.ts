import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import { allowsDemoAccounts, type Config } from '../../platform/config/config.ts';
import { selectAccess, tokenDigest } from './oauth.store.ts';

/** For whom and for what an access token speaks. */
export interface Access {
  userId: string;
  clientId: string;
  scopes: readonly string[];
  expiresAt: Date;
}

/** Undefined when the token is unknown, expired or revoked, or was issued for another resource. One statement. */
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

/** The one resource that tokens are good for (RFC 8707, RFC 9728): the public API. */
export function apiResource({ baseUrl }: { baseUrl: string }): string {
  return `${baseUrl}/api`;
}

/** What a user can let a client do. */
export const OAUTH_SCOPES = ['pricing:read', 'domains:manage'] as const;

export type OAuthScope = (typeof OAUTH_SCOPES)[number];

/** Whether a client may do with a scope what is dangerous: then a consent to it asks for a fresh second factor. */
export const IS_DANGEROUS: Readonly<Record<OAuthScope, boolean>> = {
  'pricing:read': false,
  'domains:manage': true,
};

/** Granted when a client asks for nothing. */
export const DEFAULT_SCOPE: OAuthScope = 'pricing:read';
