import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Config } from '../../platform/config/config.ts';
import { idPage } from '../../platform/database/id-page.ts';
import { conflict, fail } from '../../platform/errors.ts';
import { firstIdOf, newId } from '../../platform/ids.ts';
import { idOf, type ListPage, type Page, readPage } from '../../platform/page.ts';
import { chunksOf, runChunkJob } from './bulk.jobs.ts';
import {
  addCounts,
  moveJob,
  selectChangesOf,
  selectItems,
  selectJob,
  selectJobsOf,
  updateItemsCancelled,
  writeJob,
} from './bulk.store.ts';
import type { BulkItem, BulkItemState, BulkJob, BulkJobStatus } from './bulk-job.ts';
import { type BulkAction, type BulkOp, canonicalAction } from './bulk-operations.ts';
import { itemsOf } from './check-items.ts';

/**
 * Creates a bulk job and queues its chunks. A domain named twice, in whatever spelling, counts once. Text that is
 * not a domain becomes an item that fails on its own.
 * @throws validation_error for invalid parameters
 */
export async function createBulkJob(
  uow: UnitOfWork,
  config: Pick<Config, 'bulkChunkSize'>,
  request: { userId: string; action: BulkAction; domains: readonly string[]; dryRun: boolean },
): Promise<BulkJob> {
  const action = canonicalAction(request.action);
  const items = itemsOf(request.domains);
  const job: BulkJob = {
    id: newId('bulkJob', uow.now),
    userId: request.userId,
    action,
    dryRun: request.dryRun,
    status: 'queued',
    total: items.length,
    succeeded: 0,
    failed: 0,
    cancelled: 0,
    createdAt: uow.now,
    finishedAt: null,
  };
  await writeJob(uow.sql, job, items);
  for (const chunk of chunksOf(job, config.bulkChunkSize)) uow.jobs.add(runChunkJob, chunk);
  return job;
}

/** Filters a user's jobs; null means all. */
export interface BulkJobFilter {
  op: BulkOp | null;
  status: BulkJobStatus | null;
}

/** Returns a page of a user's jobs. */
export function listBulkJobsOf(
  { db }: { db: Database },
  userId: string,
  filter: BulkJobFilter,
  page: ListPage,
): Promise<Page<BulkJob>> {
  const read = (limit: number) =>
    selectJobsOf[page.sort].all(db.knex, { ...filter, userId, ...idPage('bulkJob', page, limit) });
  return readPage(page.limit, read, idOf);
}

/** Returns a job of this user. @throws not_found, also for another user's job */
export async function readBulkJob(
  { db }: { db: Database },
  userId: string,
  id: string,
): Promise<BulkJob> {
  const job = await selectJob.first(db.knex, { userId, id });
  if (!job) throw fail('not_found', { message: 'You have no bulk job with this ID.' });
  return job;
}

/** A change requested for a single domain, and its result. */
export interface DomainChangeResult extends BulkJob {
  state: BulkItemState;
  message: string | null;
}

/** Returns the changes requested for one domain of a user since `since`, newest first. Leaves out multi-domain jobs. */
export function listChangesOf(
  { db }: { db: Database },
  { userId, domain, since }: { userId: string; domain: string; since: Date },
): Promise<DomainChangeResult[]> {
  const after = firstIdOf('bulkJob')(since);
  return selectChangesOf.all(db.knex, { userId, domain, after, limit: MAX_CHANGES });
}

/** The maximum number of recent changes to show for a domain. */
const MAX_CHANGES = 5;

/** Returns a page of the items of a job from {@link readBulkJob}, after the position `after`. */
export function listBulkItems(
  { db }: { db: Database },
  job: BulkJob,
  page: { states: readonly BulkItemState[] | null; after: number; limit: number },
): Promise<Page<BulkItem, number>> {
  const read = (limit: number) => selectItems.all(db.knex, { ...page, limit, jobId: job.id });
  return readPage(page.limit, read, ({ position }) => position);
}

/**
 * Cancels the items of a job that no worker has started. Started items finish and are counted. A job with nothing left
 * to cancel completes. Canceling again changes nothing.
 * @throws not_found; conflict (invalid_state) if the job has ended
 */
export async function cancelBulkJob(
  uow: UnitOfWork,
  { userId, id }: { userId: string; id: string },
): Promise<BulkJob> {
  const known = await selectJob.first(uow.sql, { userId, id });
  if (!known) throw fail('not_found', { message: 'You have no bulk job with this ID.' });
  // Locks the items before the job, in the same order as the workers.
  const cancelled = await updateItemsCancelled.run(uow.sql, { jobId: id });
  if (cancelled === 0 && known.status === 'running') return known;
  if (await moveJob(uow.sql, id, 'cancel')) {
    return addCounts(uow.sql, id, { succeeded: 0, failed: 0, cancelled }, uow.now);
  }
  const job = await selectJob.first(uow.sql, { userId, id });
  if (job?.status === 'cancelled') return job;
  throw conflict('invalid_state', `The job is ${job?.status} and can no longer be canceled.`);
}
