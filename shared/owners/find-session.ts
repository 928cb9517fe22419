import type { Clock } from '../platform/clock.ts';
import { type Config, takesDemo } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { selectSession } from './session.store.ts';
import { hashOfToken } from './session-token.ts';
import type { User } from './user.ts';

/** Who holds this token; undefined when it is unknown, expired or signed out. */
export async function findSession(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  token: string,
): Promise<(User & { expiresAt: Date }) | undefined> {
  return selectSession(db.knex, hashOfToken(token), clock.now(), takesDemo(config));
}
