import type { Clock } from '../platform/clock.ts';
import { type Database, wakeAfterCommit } from '../platform/db.ts';
import { fail } from '../platform/errors.ts';
import { reviveJob } from './dead-jobs.store.ts';

/**
 * Makes a job that was given up due again, with all its attempts, whether Redis still has it or not.
 * @throws not_found when no such job is dead
 */
export async function retryDeadJob(
  { db, clock }: { db: Database; clock: Clock },
  id: number,
): Promise<void> {
  await db.transact(async (tx) => {
    if (!(await reviveJob(tx, id, clock.now()))) {
      throw fail('not_found', { message: `No job ${id} is dead.` });
    }
    wakeAfterCommit(tx);
  });
}
