import { prepared, type Sql, type Tx } from '../../platform/database/postgres.ts';
import type { Chunk } from './bulk.jobs.ts';
import {
  BULK_JOB_MOVES,
  type BulkItem,
  type BulkItemState,
  type BulkJob,
  type BulkJobMoveName,
  type ItemResult,
} from './bulk-job.ts';

const JOB = `j.id, j.user_id as "userId", json_build_object('op', j.op, 'params', j.params) as action,
  j.dry_run as "dryRun", j.status, j.total, j.succeeded, j.failed, j.cancelled,
  j.created_at as "createdAt", j.finished_at as "finishedAt"`;
const ITEM = 'i.position, i.domain, i.state, i.code, i.message';

export async function insertJob(
  tx: Tx,
  job: BulkJob,
  items: readonly Pick<BulkItem, 'domain' | 'code' | 'message'>[],
): Promise<void> {
  await tx('bulk_jobs').insert({
    id: job.id,
    user_id: job.userId,
    op: job.action.op,
    params: job.action.params,
    dry_run: job.dryRun,
    status: job.status,
    total: job.total,
    created_at: job.createdAt,
  });
  await tx.raw(
    `insert into bulk_items (job_id, position, domain, code, message)
     select :id, i.position - 1, i.domain, i.code, i.message
     from unnest(:domains::text[], :codes::text[], :messages::text[]) with ordinality
       as i (domain, code, message, position)`,
    {
      id: job.id,
      domains: items.map(({ domain }) => domain),
      codes: items.map(({ code }) => code),
      messages: items.map(({ message }) => message),
    },
  );
}

/** A job of this user; undefined for anybody else's. */
export async function selectJob(
  sql: Sql,
  userId: string,
  id: string,
): Promise<BulkJob | undefined> {
  const { rows } = await prepared(
    sql,
    `select ${JOB} from bulk_jobs j where j.id = :id and j.user_id = :userId`,
    { id, userId },
  );
  return rows[0];
}

/** A page of a job's items in the order of the request, after the position `after`. */
export async function selectItems(
  sql: Sql,
  jobId: string,
  page: { states: readonly BulkItemState[] | null; after: number; limit: number },
): Promise<BulkItem[]> {
  const { rows } = await prepared(
    sql,
    `select ${ITEM} from bulk_items i
     where i.job_id = :jobId and i.position > :after
       and (:states::text[] is null or i.state = any(:states::text[]))
     order by i.position limit :limit`,
    { jobId, ...page, states: page.states && [...page.states] },
  );
  return rows;
}

/** The job of a chunk, for the worker. */
export async function selectJobOfChunk(sql: Sql, { jobId }: Chunk): Promise<BulkJob | undefined> {
  const { rows } = await prepared(sql, `select ${JOB} from bulk_jobs j where j.id = :jobId`, {
    jobId,
  });
  return rows[0];
}

/**
 * Marks what has no result in a chunk as started, and returns it. As in all that follows, an array of positions
 * leads through the primary key whatever the planner thinks of the table; a join was worked out by comparing
 * each position with every domain of the job.
 */
export async function startItems(sql: Sql, chunk: Chunk): Promise<BulkItem[]> {
  const { rows } = await prepared(
    sql,
    `with picked as (
       select i.position from bulk_items i
       where i.job_id = :jobId and i.position >= :from and i.position < :to
         and i.state in ('pending', 'started')
       order by i.position for update
     )
     update bulk_items i set state = 'started'
     where i.job_id = :jobId and i.position = any(array(select position from picked))
     returning ${ITEM}`,
    chunk,
  );
  return rows;
}

/** Writes results of started items; returns how many of each kind were new. */
export async function insertItemResults(
  tx: Tx,
  jobId: string,
  results: readonly ItemResult[],
): Promise<{ succeeded: number; failed: number }> {
  const { rows } = await prepared(
    tx,
    `with result as (
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
    {
      jobId,
      positions: results.map(({ position }) => position),
      states: results.map(({ state }) => state),
      codes: results.map(({ code }) => code),
      messages: results.map(({ message }) => message),
    },
  );
  return rows[0];
}

/** Cancels what nobody has started; returns how many that were. */
export async function cancelItems(tx: Tx, jobId: string): Promise<number> {
  const result = await tx.raw(
    `with picked as (
       select i.position from bulk_items i where i.job_id = :jobId and i.state = 'pending'
       order by i.position for update
     )
     update bulk_items i set state = 'cancelled'
     where i.job_id = :jobId and i.position = any(array(select position from picked))`,
    { jobId },
  );
  return result.rowCount ?? 0;
}

/** Adds to a job's counts; the last of them ends it. The items behind them must be locked. */
export async function addCounts(
  tx: Tx,
  jobId: string,
  more: { succeeded: number; failed: number; cancelled: number },
  now: Date,
): Promise<BulkJob> {
  const { rows } = await prepared(
    tx,
    `update bulk_jobs j set succeeded = succeeded + :succeeded, failed = failed + :failed,
       cancelled = cancelled + :cancelled,
       finished_at = case when succeeded + failed + cancelled + :more = total then :now::timestamptz
                          else finished_at end
     where id = :jobId returning ${JOB}`,
    { jobId, ...more, more: more.succeeded + more.failed + more.cancelled, now },
  );
  return rows[0];
}

/** Makes a move; undefined when the job is in none of its from-states. */
export async function moveJob(
  sql: Sql,
  jobId: string,
  name: BulkJobMoveName,
): Promise<BulkJob | undefined> {
  const { from, to } = BULK_JOB_MOVES[name];
  const { rows } = await prepared(
    sql,
    `update bulk_jobs j set status = :to where id = :jobId and status = any(:from) returning ${JOB}`,
    { jobId, to, from: [...from] },
  );
  return rows[0];
}

/**
 * Makes the move `start`, unless somebody holds the job just now: the workers that begin with a job all at once
 * do not wait for each other.
 */
export async function startJob(sql: Sql, jobId: string): Promise<void> {
  const { from, to } = BULK_JOB_MOVES.start;
  await prepared(
    sql,
    `update bulk_jobs set status = :to where id in (
       select id from bulk_jobs where id = :jobId and status = any(:from)
       for no key update skip locked)`,
    { jobId, to, from: [...from] },
  );
}

/** Jobs recorded before `before` that are not over, the oldest first. */
export async function selectUnfinished(sql: Sql, before: Date, limit: number): Promise<string[]> {
  const { rows } = await sql.raw(
    `select id from bulk_jobs where finished_at is null and created_at < :before
     order by created_at limit :limit`,
    { before, limit },
  );
  return rows.map(({ id }: { id: string }) => id);
}

export async function deleteFinished(sql: Sql, before: Date, limit: number): Promise<number> {
  const result = await sql.raw(
    `delete from bulk_jobs where id in (
       select id from bulk_jobs where finished_at < :before limit :limit)`,
    { before, limit },
  );
  return result.rowCount ?? 0;
}
