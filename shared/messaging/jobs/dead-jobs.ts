import { fail } from '../../platform/errors.ts';
import type { Database } from '../unit-of-work/database.ts';
import type { Job } from './job.ts';
import { type DeadJob, selectDeadJobs, selectDeadPayloads, updateRevived } from './outbox.store.ts';

/** The payloads of dead jobs of a kind (all attempts used up) that name one of `jobIds`. */
export async function findDeadPayloads<P extends { jobId: string }>(
  { db }: { db: Database },
  { queue, name }: Job<P>,
  jobIds: readonly string[],
): Promise<P[]> {
  const dead = await selectDeadPayloads.all(db.knex, { queue, name, jobIds });
  return dead.map(({ payload }) => payload as P);
}

/** Dead jobs of every kind, newest first. */
export function listDeadJobs({ db }: { db: Database }, limit: number): Promise<DeadJob[]> {
  return selectDeadJobs.all(db.knex, { limit });
}

/**
 * Makes a dead job due again, with all its attempts, whether or not Redis still has it.
 * @throws not_found when no such job is dead
 */
export async function retryDeadJob({ db }: { db: Database }, id: number): Promise<void> {
  await db.transact(async (uow) => {
    if ((await updateRevived.run(uow.sql, { id, now: uow.now })) === 0) {
      throw fail('not_found', { message: `No job ${id} is dead.` });
    }
    uow.wakeRelay();
  });
}
