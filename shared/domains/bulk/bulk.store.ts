import { ID_PAGE, idPageSql } from '../../platform/database/id-page.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  integer,
  json,
  jsonb,
  nullable,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { ErrorCode } from '../../platform/errors.ts';
import { LIST_SORTS } from '../../platform/page.ts';

import {
  BULK_JOB_MOVES,
  type BulkItem,
  type BulkItemState,
  type BulkJob,
  type BulkJobMoveName,
  type BulkJobStatus,
  type ItemResult,
} from './bulk-job.ts';
import type { BulkAction } from './bulk-operations.ts';

const JOB_COLUMNS = `j.id, j.user_id as "userId", json_build_object('op', j.op, 'params', j.params) as action,
  j.dry_run as "dryRun", j.status, j.total, j.succeeded, j.failed, j.cancelled,
  j.created_at as "createdAt", j.finished_at as "finishedAt"`;
const JOB = {
  id: text,
  userId: text,
  action: json<BulkAction>(),
  dryRun: boolean,
  status: textOf<BulkJobStatus>(),
  total: integer,
  succeeded: integer,
  failed: integer,
  cancelled: integer,
  createdAt: timestamptz,
  finishedAt: nullable(timestamptz),
};

const ITEM_COLUMNS = 'i.position, i.domain, i.state, i.code, i.message';
const ITEM = {
  position: integer,
  domain: text,
  state: textOf<BulkItemState>(),
  code: nullable(textOf<ErrorCode>()),
  message: nullable(text),
};

/** Inserts a job without its items. */
export const insertJob = defineStatement({
  params: {
    id: text,
    userId: text,
    op: textOf<BulkAction['op']>(),
    params: jsonb<BulkAction['params']>(),
    dryRun: boolean,
    status: textOf<BulkJobStatus>(),
    total: integer,
    createdAt: timestamptz,
  },
  text: `insert into bulk_jobs (id, user_id, op, params, dry_run, status, total, created_at)
    values (:id, :userId, :op, :params, :dryRun, :status, :total, :createdAt)`,
});

/** Inserts the items of a new job, in the order of the request. */
export const insertItems = defineStatement({
  params: {
    jobId: text,
    domains: arrayOf(text),
    codes: arrayOf(nullable(textOf<ErrorCode>())),
    messages: arrayOf(nullable(text)),
  },
  text: `insert into bulk_items (job_id, position, domain, code, message)
    select :jobId, i.position - 1, i.domain, i.code, i.message
    from unnest(:domains::text[], :codes::text[], :messages::text[]) with ordinality
      as i (domain, code, message, position)`,
});

/** Selects a job of this user; no row for another user's job. */
export const selectJob = defineStatement({
  params: { id: text, userId: text },
  row: JOB,
  text: `select ${JOB_COLUMNS} from bulk_jobs j where j.id = :id and j.user_id = :userId`,
  plan: 'once',
});

/** Selects a page of a user's jobs. */
export const selectJobsOf = variantsOf(LIST_SORTS, (sort) =>
  defineStatement({
    params: {
      userId: text,
      op: nullable(textOf<BulkAction['op']>()),
      status: nullable(textOf<BulkJobStatus>()),
      ...ID_PAGE,
    },
    row: JOB,
    text: `select ${JOB_COLUMNS} from bulk_jobs j where j.user_id = :userId
      and (:op::text is null or j.op = :op) and (:status::text is null or j.status = :status)
      and ${idPageSql('j.id', sort)}`,
  }),
);

/** Selects the latest single-domain changes of a domain, after the job ID `after`, newest first. */
export const selectChangesOf = defineStatement({
  params: { userId: text, domain: text, after: text, limit: bigint },
  row: { ...JOB, state: textOf<BulkItemState>(), message: nullable(text) },
  text: `select ${JOB_COLUMNS}, i.state, i.message
    from bulk_jobs j join bulk_items i on i.job_id = j.id and i.position = 0
    where j.user_id = :userId and j.id > :after and j.total = 1 and not j.dry_run
      and i.domain = :domain
    order by j.id desc limit :limit`,
});

/** Selects a page of a job's items in the order of the request, after the position `after`. */
export const selectItems = defineStatement({
  params: {
    jobId: text,
    states: nullable(arrayOf(textOf<BulkItemState>())),
    after: integer,
    limit: bigint,
  },
  row: ITEM,
  text: `select ${ITEM_COLUMNS} from bulk_items i
    where i.job_id = :jobId and i.position > :after
      and (:states::text[] is null or i.state = any(:states::text[]))
    order by i.position limit :limit`,
  plan: 'once',
});

/** Selects the job of a chunk, for the worker. */
export const selectJobOfChunk = defineStatement({
  params: { jobId: text },
  row: JOB,
  text: `select ${JOB_COLUMNS} from bulk_jobs j where j.id = :jobId`,
  plan: 'once',
});

/**
 * Marks the items of a chunk that have no result as started, and returns them. Here and below, an array of positions
 * makes Postgres use the primary key whatever the planner's statistics say. With a join, the plan compared each
 * position with every item of the job.
 */
export const updateItemsStarted = defineStatement({
  params: { jobId: text, from: integer, to: integer },
  row: ITEM,
  text: `with picked as (
      select i.position from bulk_items i
      where i.job_id = :jobId and i.position >= :from and i.position < :to
        and i.state in ('pending', 'started')
      order by i.position for update
    )
    update bulk_items i set state = 'started'
    where i.job_id = :jobId and i.position = any(array(select position from picked))
    returning ${ITEM_COLUMNS}`,
  plan: 'once',
});

/** Writes the results of started items and counts the newly written ones by state. */
export const updateItemResults = defineStatement({
  params: {
    jobId: text,
    positions: arrayOf(integer),
    states: arrayOf(textOf<ItemResult['state']>()),
    codes: arrayOf(nullable(textOf<ErrorCode>())),
    messages: arrayOf(nullable(text)),
  },
  row: { succeeded: bigint, failed: bigint },
  text: `with result as (
      select * from unnest(:positions::integer[], :states::text[], :codes::text[], :messages::text[])
        as r (position, state, code, message)
    ), picked as (
      select i.position from bulk_items i
      where i.job_id = :jobId and i.position = any(:positions::integer[]) and i.state = 'started'
      order by i.position for update
    ), ended as (
      update bulk_items i set state = r.state, code = r.code, message = r.message
      from result r
      where i.job_id = :jobId and i.position = any(array(select position from picked))
        and i.position = r.position
      returning i.state
    )
    select count(*) filter (where state = 'ok') as succeeded,
      count(*) filter (where state = 'error') as failed
    from ended`,
  plan: 'once',
});

/** Cancels the items that no worker has started. */
export const updateItemsCancelled = defineStatement({
  params: { jobId: text },
  text: `with picked as (
      select i.position from bulk_items i where i.job_id = :jobId and i.state = 'pending'
      order by i.position for update
    )
    update bulk_items i set state = 'cancelled'
    where i.job_id = :jobId and i.position = any(array(select position from picked))`,
});

/** Adds to a job's counts (`more` is their sum). Ends the job when every item is counted. */
export const updateCounts = defineStatement({
  params: {
    jobId: text,
    succeeded: integer,
    failed: integer,
    cancelled: integer,
    more: integer,
    now: timestamptz,
  },
  row: JOB,
  text: `update bulk_jobs j set succeeded = succeeded + :succeeded, failed = failed + :failed,
      cancelled = cancelled + :cancelled,
      finished_at = case when succeeded + failed + cancelled + :more = total then :now::timestamptz
                         else finished_at end
    where id = :jobId returning ${JOB_COLUMNS}`,
  plan: 'once',
});

const MOVE = {
  jobId: text,
  from: arrayOf(textOf<BulkJobStatus>()),
  to: textOf<BulkJobStatus>(),
};

/** Moves a job from one of the `from` statuses to `to`; no row if it has none of them. */
export const updateStatus = defineStatement({
  params: MOVE,
  row: JOB,
  text: `update bulk_jobs j set status = :to where id = :jobId and status = any(:from)
    returning ${JOB_COLUMNS}`,
  plan: 'once',
});

/** Like {@link updateStatus}, but skips the job if another transaction holds its row. */
export const updateStatusUnlessLocked = defineStatement({
  params: MOVE,
  text: `update bulk_jobs set status = :to where id in (
      select id from bulk_jobs where id = :jobId and status = any(:from)
      for no key update skip locked)`,
  plan: 'once',
});

/** Selects unfinished jobs created before `before`, oldest first. */
export const selectUnfinished = defineStatement({
  params: { before: timestamptz, limit: bigint },
  row: { id: text },
  text: `select id from bulk_jobs where finished_at is null and created_at < :before
    order by created_at limit :limit`,
});

/** Writes a job and its items. */
export async function writeJob(
  tx: Tx,
  job: BulkJob,
  items: readonly Pick<BulkItem, 'domain' | 'code' | 'message'>[],
): Promise<void> {
  const { op, params } = job.action;
  await insertJob.run(tx, { ...job, op, params });
  await insertItems.run(tx, {
    jobId: job.id,
    domains: items.map(({ domain }) => domain),
    codes: items.map(({ code }) => code),
    messages: items.map(({ message }) => message),
  });
}

/** Writes the results of started items; returns how many of each kind are new. */
export function writeItemResults(
  tx: Tx,
  jobId: string,
  results: readonly ItemResult[],
): Promise<{ succeeded: number; failed: number }> {
  return updateItemResults.one(tx, {
    jobId,
    positions: results.map(({ position }) => position),
    states: results.map(({ state }) => state),
    codes: results.map(({ code }) => code),
    messages: results.map(({ message }) => message),
  });
}

/** Adds to a job's counts and ends the job when every item is counted. The counted items must be locked. */
export function addCounts(
  tx: Tx,
  jobId: string,
  more: { succeeded: number; failed: number; cancelled: number },
  now: Date,
): Promise<BulkJob> {
  const { succeeded, failed, cancelled } = more;
  const sum = succeeded + failed + cancelled;
  return updateCounts.one(tx, { jobId, succeeded, failed, cancelled, more: sum, now });
}

/** Moves a job to another status; undefined if the job's status does not allow the move. */
export function moveJob(
  sql: Sql,
  jobId: string,
  name: BulkJobMoveName,
): Promise<BulkJob | undefined> {
  return updateStatus.first(sql, { jobId, ...BULK_JOB_MOVES[name] });
}

/**
 * Moves a job to `running`, unless another transaction holds its row: workers that start a job at the same time do
 * not wait for each other.
 */
export async function startJob(sql: Sql, jobId: string): Promise<void> {
  await updateStatusUnlessLocked.run(sql, { jobId, ...BULK_JOB_MOVES.start });
}
