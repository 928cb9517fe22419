import { suspendPartner } from '../partners/set-partner-status.ts';
import { disableUser } from '../people/shut-out.ts';
import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import type { Logger } from '../platform/logger.ts';
import type { Redis } from '../platform/redis.ts';
import { selectActiveDemoAccounts } from './demo.store.ts';

/**
 * Refuses to go on in production while the database has demo accounts that are not disabled. No request of
 * one is taken anyway; this says so before somebody relies on the database.
 * @throws Error that says what to run
 */
export async function assertNoDemoAccounts({
  config,
  db,
  log,
}: {
  config: Config;
  db: Database;
  log: Logger;
}): Promise<void> {
  if (config.nodeEnv !== 'production') return;
  const found = await selectActiveDemoAccounts(db.knex).catch((error: unknown) => {
    // Without Postgres, or before its schema is the newest, a process starts and is not ready.
    log.warn({ err: error }, 'demo accounts were not looked for');
    return { partners: [], users: [] };
  });
  const { partners, users } = found;
  if (partners.length + users.length === 0) return;
  throw new Error(
    `This database has demo accounts (partners: ${partners.length}, users: ${users.length}), which are not for production. Disable them, then start again: npm run --silent ops -- demo:disable`,
  );
}

/** Suspends the demo partners and disables the demo users; says how many there were. */
export async function disableDemoAccounts(
  deps: { db: Database; clock: Clock; redis: Redis; config: Config },
  actor: string,
): Promise<{ partners: number; users: number }> {
  const { partners, users } = await selectActiveDemoAccounts(deps.db.knex);
  for (const id of partners) await suspendPartner(deps, actor, id);
  for (const id of users) await disableUser(deps, actor, id);
  return { partners: partners.length, users: users.length };
}
