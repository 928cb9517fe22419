import { fail } from '../../platform/errors.ts';
import type { Database } from '../unit-of-work/database.ts';
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts';
import type { Job } from './job.ts';
import {
  type DeadJob,
  selectDeadJobs,
  selectDeadPayloads,
  selectJobForUpdate,
  updateDone,
  updateRevived,
} from './outbox.store.ts';

/** Returns the payloads of a kind's dead jobs (all attempts used up) that name one of `jobIds`. */
export async function findDeadPayloads<P extends { jobId: string }>(
  { db }: { db: Database },
  { queue, name }: Job<P>,
  jobIds: readonly string[],
): Promise<P[]> {
  const dead = await selectDeadPayloads.all(db.knex, { queue, name, jobIds });
  return dead.map(({ payload }) => payload as P);
}

/** Returns dead jobs of every kind, newest first. */
export function listDeadJobs({ db }: { db: Database }, limit: number): Promise<DeadJob[]> {
  return selectDeadJobs.all(db.knex, { limit });
}

/**
 * Makes a dead job due again with a full set of attempts, whether or not Redis still has it.
 * @throws not_found if there is no such dead job
 */
export async function retryDeadJob({ db }: { db: Database }, id: number): Promise<void> {
  await db.transact((uow) => reviveJob(uow, id));
}

/** Like {@link retryDeadJob}, within a transaction. @throws not_found if there is no such dead job */
export async function reviveJob(uow: UnitOfWork, id: number): Promise<void> {
  if ((await updateRevived.run(uow.sql, { id, now: uow.now })) === 0) {
    throw fail('not_found', { message: `No job ${id} is dead.` });
  }
  uow.wakeRelay();
}

/** Locks the job under a key and returns its state. No worker can start the job before the transaction ends. */
export function lockJobOf({ sql }: UnitOfWork, key: string) {
  return selectJobForUpdate.first(sql, { key });
}

/** Marks a job as done that is not running and is no longer needed. */
export async function finishJobOf(uow: UnitOfWork, id: number): Promise<void> {
  await updateDone.run(uow.sql, { id, now: uow.realNow });
}
