import type { Database } from '../../messaging/unit-of-work/database.ts';
import { idPage } from '../../platform/database/id-page.ts';
import { fail } from '../../platform/errors.ts';
import { idOf, type ListPage, type Page, readPage } from '../../platform/page.ts';
import type { BulkJobStatus } from './bulk-job.ts';
import * as store from './console-bulk-jobs.store.ts';

type Deps = { db: Database };

/** Lists the bulk jobs of all owners, or of one. */
export function listBulkJobs(
  { db }: Deps,
  filter: { status: BulkJobStatus | null; userId: string | null },
  page: ListPage,
): Promise<Page<store.ConsoleBulkJob>> {
  const read = (limit: number) =>
    store.selectBulkJobs[page.sort].all(db.knex, { ...filter, ...idPage('bulkJob', page, limit) });
  return readPage(page.limit, read, idOf);
}

/** Returns a bulk job of any owner. @throws not_found */
export async function readBulkJobForOps({ db }: Deps, id: string): Promise<store.ConsoleBulkJob> {
  const job = await store.selectBulkJob.first(db.knex, { id });
  if (!job) throw fail('not_found', { message: 'No bulk job has this ID.' });
  return job;
}

/** Lists the items of a bulk job in order, after a position. */
export function listBulkItemsForOps(
  { db }: Deps,
  jobId: string,
  page: { after: number | null; limit: number },
): Promise<Page<store.ConsoleBulkItem, number>> {
  const { after } = page;
  const read = (limit: number) => store.selectBulkItems.all(db.knex, { jobId, after, limit });
  return readPage(page.limit, read, ({ position }) => position);
}
