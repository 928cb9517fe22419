import type { Database } from '../platform/db.ts';
import type { QueueName } from '../platform/queues.ts';
import { type DeadJob, selectDeadJobs, selectDeadPayloads } from './dead-jobs.store.ts';

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
