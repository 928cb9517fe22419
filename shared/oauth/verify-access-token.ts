import type { Clock } from '../platform/clock.ts';
import { allowsDemoAccounts, type Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { apiResource } from './api-resource.ts';
import { tokenDigest } from './digest.ts';
import { selectAccess } from './token.store.ts';

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
  return selectAccess(
    db.knex,
    tokenDigest(token),
    apiResource(config),
    clock.now(),
    allowsDemoAccounts(config),
  );
}
