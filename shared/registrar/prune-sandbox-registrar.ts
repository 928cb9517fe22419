import { addMs, type Clock, DAY } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { deleteChanges } from './sandbox-domain.store.ts';
import { deleteEndedPushes } from './sandbox-push.store.ts';

/**
 * Deletes up to `limit` ended pushes and as many changes that the sandbox's registrar remembers by their reference,
 * SANDBOX_KEEP_DAYS later. Says how many of the kind it found most of.
 */
export async function pruneSandboxRegistrar(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  limit: number,
): Promise<number> {
  const before = addMs(clock.now(), -config.sandboxKeepDays * DAY);
  const pushes = await deleteEndedPushes(db.knex, before, limit);
  const changes = await deleteChanges(db.knex, before, limit);
  return Math.max(pushes, changes);
}
