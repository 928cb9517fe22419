import type { Clock } from '../platform/clock.ts';
import { allowsDemoAccounts, type Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { selectSession } from './session.store.ts';
import { hashSessionToken } from './session-token.ts';
import type { User } from './user.ts';

/** Who holds this token; undefined when it is unknown, expired or signed out. */
export async function findSession(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  token: string,
): Promise<(User & { expiresAt: Date }) | undefined> {
  return selectSession(db.knex, hashSessionToken(token), clock.now(), allowsDemoAccounts(config));
}
