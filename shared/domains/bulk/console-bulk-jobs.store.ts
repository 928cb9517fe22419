import { ID_PAGE, idPageSql } from '../../platform/database/id-page.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  bigint,
  boolean,
  integer,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { LIST_SORTS } from '../../platform/page.ts';
import type { BulkItemState, BulkJobStatus } from './bulk-job.ts';

// Lists for the console only. A unique index serves each page, whatever the size of the table.

const BULK_JOB = {
  id: text,
  userId: text,
  email: text,
  op: text,
  dryRun: boolean,
  status: textOf<BulkJobStatus>(),
  total: integer,
  succeeded: integer,
  failed: integer,
  cancelled: integer,
  createdAt: timestamptz,
  finishedAt: nullable(timestamptz),
};
export type ConsoleBulkJob = RowOf<typeof BULK_JOB>;
const SELECT_BULK_JOB = `select e.id, e.user_id as "userId", u.email, e.op, e.dry_run as "dryRun", e.status,
  e.total, e.succeeded, e.failed, e.cancelled, e.created_at as "createdAt", e.finished_at as "finishedAt"
  from bulk_jobs e join users u on u.id = e.user_id`;

/** Selects bulk jobs, by default of all owners. */
export const selectBulkJobs = variantsOf(LIST_SORTS, (sort) =>
  defineStatement({
    params: { status: nullable(textOf<BulkJobStatus>()), userId: nullable(text), ...ID_PAGE },
    row: BULK_JOB,
    text: `${SELECT_BULK_JOB}
      where (:status::text is null or e.status = :status)
        and (:userId::text is null or e.user_id = :userId) and ${idPageSql('e.id', sort)}`,
  }),
);

export const selectBulkJob = defineStatement({
  params: { id: text },
  row: BULK_JOB,
  text: `${SELECT_BULK_JOB} where e.id = :id`,
});

const BULK_ITEM = {
  position: integer,
  domain: text,
  state: textOf<BulkItemState>(),
  code: nullable(text),
  message: nullable(text),
};
export type ConsoleBulkItem = RowOf<typeof BULK_ITEM>;

/** Selects a job's items (1,000 at most) by primary key. */
export const selectBulkItems = defineStatement({
  params: { jobId: text, after: nullable(integer), limit: bigint },
  row: BULK_ITEM,
  text: `select position, domain, state, code, message from bulk_items
    where job_id = :jobId and (:after::integer is null or position > :after)
    order by position limit :limit`,
});
