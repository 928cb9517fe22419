import { fail } from '../../platform/errors.ts';
import type { Database } from '../unit-of-work/database.ts';
import type { QueueName } from './job-queues.ts';
import { type DeadJob, reviveJob, selectDeadJobs, selectDeadPayloads } from './outbox.store.ts';

/** The payloads of jobs of a kind that used up their attempts, of those that name one of `jobIds`. */
export function findDeadJobs(
  { db }: { db: Database },
  kind: { queue: QueueName; name: string },
  jobIds: readonly string[],
): Promise<unknown[]> {
  return selectDeadPayloads(db.knex, kind, jobIds);
}

/** Jobs of any kind that were given up, the newest first. */
export function listDeadJobs({ db }: { db: Database }, limit: number): Promise<DeadJob[]> {
  return selectDeadJobs(db.knex, limit);
}

/**
 * Makes a job that was given up due again, with all its attempts, whether Redis still has it or not.
 * @throws not_found when no such job is dead
 */
export async function retryDeadJob({ db }: { db: Database }, id: number): Promise<void> {
  await db.transact(async (uow) => {
    if (!(await reviveJob(uow.sql, id, uow.now))) {
      throw fail('not_found', { message: `No job ${id} is dead.` });
    }
    uow.wakeRelay();
  });
}
