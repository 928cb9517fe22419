import type { Tx } from '../platform/db.ts';
import { conflict, fail } from '../platform/errors.ts';
import { addCounts, cancelItems, moveJob, selectJob } from './bulk.store.ts';
import type { BulkJob } from './bulk-job.ts';

/**
 * Stops the domains of a job that no worker has started; what is started comes to its end and is counted.
 * Cancelling again changes nothing.
 * @throws not_found; conflict (invalid_state) when the job is over
 */
export async function cancelBulkJob(
  tx: Tx,
  { userId, id }: { userId: string; id: string },
  now: Date,
): Promise<BulkJob> {
  const known = await selectJob(tx, userId, id);
  if (!known) throw fail('not_found', { message: 'You have no bulk job of this id.' });
  // The domains first, then the job: in the order in which the workers lock them.
  const cancelled = await cancelItems(tx, id);
  if (await moveJob(tx, id, 'cancel')) {
    return addCounts(tx, id, { succeeded: 0, failed: 0, cancelled }, now);
  }
  const job = await selectJob(tx, userId, id);
  if (job?.status === 'cancelled') return job;
  throw conflict('invalid_state', `The job is ${job?.status} and can no longer be cancelled.`);
}
