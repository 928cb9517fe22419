import type { Database } from '../platform/db.ts';
import { fail } from '../platform/errors.ts';
import { selectItems, selectJob } from './bulk.store.ts';
import type { BulkItem, BulkItemState, BulkJob } from './bulk-job.ts';

/** A job of this user. @throws not_found, also for a job of somebody else */
export async function readBulkJob(
  { db }: { db: Database },
  userId: string,
  id: string,
): Promise<BulkJob> {
  const job = await selectJob(db.knex, userId, id);
  if (!job) throw fail('not_found', { message: 'You have no bulk job of this id.' });
  return job;
}

/** A page of the domains of a job that {@link readBulkJob} gave, after the position `after`. */
export function listBulkItems(
  { db }: { db: Database },
  job: BulkJob,
  page: { states: readonly BulkItemState[] | null; after: number; limit: number },
): Promise<BulkItem[]> {
  return selectItems(db.knex, job.id, page);
}
