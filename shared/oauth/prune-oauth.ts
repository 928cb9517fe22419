import { addMs, type Clock, DAY } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { deleteExpiredBrowsers } from './browser.store.ts';
import { deleteUnusedClients } from './client.store.ts';
import { deleteSpentGrants } from './grant.store.ts';
import { deleteExpiredTokens } from './token.store.ts';

/** A grant is made before its code; until then nothing hangs on it. */
const EMPTY_GRANT_KEEP_MS = DAY;

/**
 * Deletes up to `limit` of each: tokens and browsers past their life, grants of which nothing is good any
 * more, and clients that nobody is signed in with. Says how many of the kind it found most of.
 */
export async function pruneOAuth(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  limit: number,
): Promise<number> {
  const now = clock.now();
  const tokens = await deleteExpiredTokens(db.knex, now, limit);
  const browsers = await deleteExpiredBrowsers(db.knex, now, limit);
  const grants = await deleteSpentGrants(db.knex, addMs(now, -EMPTY_GRANT_KEEP_MS), limit);
  const clientsBefore = addMs(now, -config.oauthClientKeepDays * DAY);
  const clients = await deleteUnusedClients(db.knex, clientsBefore, limit);
  return Math.max(tokens, browsers, grants, clients);
}
