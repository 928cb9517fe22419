import type { Database } from '../../delivery/unit-of-work/database.ts';
import { type Clock, daysAgo } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { deleteCommands, deleteEndedPushes, deleteMessages } from './epp-registrar.store.ts';

/**
 * Deletes up to `limit` each of commands, ended pushes and messages of the registry, REGISTRAR_KEEP_DAYS later. Says
 * how many of the kind it found most of.
 */
export async function pruneRegistrar(
  { db, clock, config }: { db: Database; clock: Clock; config: Pick<Config, 'registrarKeepDays'> },
  limit: number,
): Promise<number> {
  const before = daysAgo(clock, config.registrarKeepDays);
  const found = [deleteCommands, deleteEndedPushes, deleteMessages];
  const deleted = await Promise.all(found.map((each) => each.run(db.knex, { before, limit })));
  return Math.max(...deleted);
}
