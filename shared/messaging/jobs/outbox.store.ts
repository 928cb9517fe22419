import type { Pipeline } from '../../platform/database/pipeline.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement, opaque } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  integer,
  jsonb,
  nullable,
  type ParamsOf,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import {
  type DispatchedJob,
  type JobReference,
  type JobRequest,
  ticketOf,
  type UnbegunJob,
} from './job.ts';
import type { QueueName } from './job-queues.ts';

const COLUMNS = `o.id, o.queue, o.name, o.epoch, o.attempts, coalesce(o.batch_id, o.id) as "batchId",
      greatest(0, extract(epoch from o.run_at - :now::timestamptz) * 1000)::bigint as "waitMs",
      case when o.queue = any(:standing::text[]) then o.payload end as about`;
const DISPATCHED_JOB = {
  id: bigint,
  queue: textOf<QueueName>(),
  name: text,
  epoch: integer,
  attempts: integer,
  batchId: bigint,
  waitMs: bigint,
  about: nullable(jsonb<unknown>()),
};
/** The names of the queues whose jobs are dispatched ahead of time. */
const STANDING = { standing: arrayOf(text) };

/** Records jobs. A trigger drops jobs whose key is already in `job_keys`, and adds the keys of the others. */
export const insertJobs = defineStatement({
  params: {
    now: timestamptz,
    traceParent: nullable(text),
    queues: arrayOf(textOf<QueueName>()),
    names: arrayOf(text),
    /** JSON. */
    payloads: arrayOf(text),
    runAts: arrayOf(timestamptz),
    keys: arrayOf(nullable(text)),
  },
  text: `insert into outbox (queue, name, payload, run_at, dedupe_key, created_at, trace_parent)
    select j.queue, j.name, j.payload, j.run_at, j.dedupe_key, :now, :traceParent::text
    from unnest(:queues::text[], :names::text[], :payloads::text[]::jsonb[], :runAts::timestamptz[],
      :keys::text[]) as j (queue, name, payload, run_at, dedupe_key)`,
  plan: 'once',
});

/**
 * Claims up to `limit` due jobs for dispatch, oldest first, and up to `limit` standing jobs that are due later; other
 * relays skip them. Jobs of one kind that are dispatched for the first time form about `batches` batches of at most
 * `batchSize` jobs. Later dispatches are never batched, nor are standing jobs: a job that is slow or crashes its worker
 * does not affect others again.
 */
export const updateClaimed = defineStatement({
  params: {
    now: timestamptz,
    leaseUntil: timestamptz,
    limit: bigint,
    batches: bigint,
    batchSize: bigint,
    ...STANDING,
  },
  row: DISPATCHED_JOB,
  text: `with due as (
      select id, queue, name, run_at, epoch = 0 and queue <> all(:standing::text[]) as is_first from outbox
      where ${opaque(`state = 'pending'`)} and run_at <= :now
      order by run_at, id limit :limit for update skip locked),
    later as (
      select id, queue, name, run_at, false as is_first from outbox
      where state = 'pending' and queue = any(:standing::text[]) and run_at > :now
      order by run_at limit :limit for update skip locked),
    placed as (
      select id, queue, name, is_first, row_number() over (kind order by run_at, id) - 1 as place,
        case when is_first then greatest(1, least(:batchSize::bigint, count(*) over kind / :batches::bigint))
          else 1 end as size
      from (select * from due union all select * from later) due
      window kind as (partition by queue, name, is_first)),
    batched as (
      select id, min(id) over (partition by queue, name, is_first, place / size) as batch_id from placed),
    -- Postgres takes what it unnests for a few rows, and looks each of them up by its id.
    claimed as (select unnest(array_agg(id)) as id, unnest(array_agg(batch_id)) as batch_id from batched)
    update outbox o set state = 'dispatched', epoch = o.epoch + 1, lease_until = :leaseUntil,
      batch_id = claimed.batch_id
    from claimed where o.id = claimed.id
    returning ${COLUMNS}`,
  plan: 'once',
});

const IS_DISPATCHED = opaque(`o.state = 'dispatched'`);

const DISPATCHES = { ids: arrayOf(bigint), epochs: arrayOf(integer) };

/** A redundant condition on `ids`, so that Postgres prunes to their weekly partitions. */
const NAMED = 'o.id = any(:ids::bigint[])';

/**
 * Releases dispatches that have not started, to be claimed again at once. Leaves a dispatch alone if another relay has
 * sent it again meanwhile (`epoch`) or a worker has started it (`attempts`).
 */
export const updateReleased = defineStatement({
  params: { ...DISPATCHES, attempts: arrayOf(integer) },
  text: `update outbox o set state = 'pending', lease_until = null
    from unnest(:ids::bigint[], :epochs::integer[], :attempts::integer[]) as j (id, epoch, attempts)
    where ${NAMED} and o.id = j.id and o.epoch = j.epoch and o.attempts = j.attempts and ${IS_DISPATCHED}`,
});

const STARTED_JOB = {
  id: bigint,
  epoch: integer,
  payload: jsonb<unknown>(),
  attempts: integer,
  runAt: timestamptz,
  /** The W3C traceparent of the code that enqueued it. */
  traceParent: nullable(text),
};
/** A job whose next attempt has started and was counted. */
export type StartedJob = RowOf<typeof STARTED_JOB>;

/** Starts an attempt of each current dispatch; returns no row for a dispatch that is stale or done. */
export const updateStarted = defineStatement({
  params: { ...DISPATCHES, leaseUntil: timestamptz },
  row: STARTED_JOB,
  text: `update outbox o set attempts = o.attempts + 1, lease_until = :leaseUntil, state = 'dispatched'
    from unnest(:ids::bigint[], :epochs::integer[]) as j (id, epoch)
    where ${NAMED} and o.id = j.id and o.epoch = j.epoch and ${opaque(`o.state in ('dispatched', 'dead')`)}
    returning o.id, o.epoch, o.payload, o.attempts, o.run_at as "runAt", o.trace_parent as "traceParent"`,
  plan: 'once',
});

/** Marks jobs that operators started early as due, so that they are not made due again. */
export const updateBegunEarly = defineStatement({
  params: { ids: arrayOf(bigint), now: timestamptz },
  text: `update outbox o set run_at = :now where o.id = any(:ids::bigint[]) and ${IS_DISPATCHED}`,
});

/** Marks a job as done; changes no row if it is already done. */
export const updateDone = defineStatement({
  params: { id: bigint, now: timestamptz },
  text: `update outbox o set state = 'done', done_at = :now, lease_until = null, last_error = null
    where id = :id and ${opaque(`o.state <> 'done'`)}`,
  plan: 'once',
});

/** The SQLSTATE of {@link finishOne} for a job that is already done. */
export const DONE_ALREADY = 'JOB01';

/** Marks a job as done in the transaction of its result; fails that transaction if the job is already done. */
export const finishOne = defineStatement({
  params: { id: bigint, now: timestamptz },
  row: { isDone: boolean },
  text: 'select finish_job(:id, :now) as "isDone"',
  plan: 'once',
});

/** Marks jobs as done, except those that are already done. */
export const updateAllDone = defineStatement({
  params: { ids: arrayOf(bigint), now: timestamptz },
  text: `update outbox o set state = 'done', done_at = :now, lease_until = null, last_error = null
    where id = any(:ids::bigint[]) and ${opaque(`o.state <> 'done'`)}`,
  plan: 'once',
});

const POSTPONEMENT = {
  id: bigint,
  epoch: integer,
  runAt: timestamptz,
  error: nullable(text),
  /** What to do with the attempt count: keep it, subtract this attempt, or reset it to 0. */
  attempts: textOf<'keep' | 'uncount' | 'reset'>(),
};

/** Makes a dispatched job due again, at `runAt`. */
export const updatePostponed = defineStatement({
  params: POSTPONEMENT,
  text: `update outbox o set state = 'pending', run_at = :runAt, lease_until = null, last_error = :error,
      attempts = case :attempts::text when 'keep' then attempts when 'uncount' then attempts - 1 else 0 end
    where id = :id and epoch = :epoch and ${IS_DISPATCHED}`,
});

/** Marks a dispatched job as dead. */
export const updateDead = defineStatement({
  params: { id: bigint, epoch: integer, error: text },
  text: `update outbox o set state = 'dead', lease_until = null, last_error = :error
    where id = :id and epoch = :epoch and ${IS_DISPATCHED}`,
});

/** Selects a page of dispatches with an expired lease, or of all dispatches if Redis may have lost jobs. */
export const selectOverdue = defineStatement({
  params: { ...STANDING, now: timestamptz, everything: boolean, afterId: bigint, limit: bigint },
  row: DISPATCHED_JOB,
  text: `select ${COLUMNS} from outbox o
    where state = 'dispatched' and id > :afterId and (lease_until <= :now or :everything)
    order by id limit :limit`,
});

/** Extends the lease of dispatches that are queued or running. Skips rows that another statement has locked. */
export const updateLeases = defineStatement({
  params: { ...DISPATCHES, leaseUntil: timestamptz },
  text: `update outbox o set lease_until = :leaseUntil
    from (select o.id from unnest(:ids::bigint[], :epochs::integer[]) as j (id, epoch)
      join outbox o on o.id = j.id and o.epoch = j.epoch and ${IS_DISPATCHED}
      for update of o skip locked) held
    where o.id = held.id`,
  plan: 'once',
});

/** Makes lost dispatches due again, under the next epoch. */
export const updateRequeued = defineStatement({
  params: DISPATCHES,
  text: `update outbox o set state = 'pending', lease_until = null
    from unnest(:ids::bigint[], :epochs::integer[]) as j (id, epoch)
    where ${NAMED} and o.id = j.id and o.epoch = j.epoch and ${IS_DISPATCHED}`,
});

/** Selects how many jobs under these keys are queued or running, and when the next of the others is due. */
export const selectNextOf = defineStatement({
  params: { keys: arrayOf(text) },
  row: { dispatched: bigint, nextRunAt: nullable(timestamptz) },
  text: `select count(*) filter (where o.state = 'dispatched') as dispatched,
      min(o.run_at) filter (where o.state = 'pending') as "nextRunAt"
    from job_keys k join outbox o on o.id = k.job_id where k.dedupe_key = any(:keys::text[])`,
});

/** Makes waiting jobs due earlier. */
export const updateHastened = defineStatement({
  params: { keys: arrayOf(text), byMs: bigint },
  text: `update outbox o set run_at = o.run_at - :byMs::bigint * interval '1 millisecond'
    from job_keys k
    where k.dedupe_key = any(:keys::text[]) and o.id = k.job_id and ${opaque(`o.state = 'pending'`)}`,
});

/** Makes jobs that are not due yet due now; leaves jobs alone that have started. */
export const updateDueNow = defineStatement({
  params: { ids: arrayOf(bigint), now: timestamptz },
  text: `update outbox o set state = 'pending', run_at = :now, lease_until = null
    where id = any(:ids::bigint[]) and run_at > :now and ${opaque(`o.state in ('pending', 'dispatched')`)}`,
});

/** Selects the id of the job under a key. */
export const selectIdOf = defineStatement({
  params: { key: text },
  row: { id: bigint },
  text: 'select job_id as id from job_keys where dedupe_key = :key',
});

/** Selects the state of the job under a key, and locks the job until the transaction ends. */
export const selectJobForUpdate = defineStatement({
  params: { key: text },
  row: { id: bigint, state: textOf<'pending' | 'dispatched' | 'done' | 'dead'>() },
  text: `select o.id, o.state from outbox o
    where o.id = (select job_id from job_keys where dedupe_key = :key) for update`,
});

/** Releases the key of a job, so that another job can be added under it. */
export const deleteKey = defineStatement({
  params: { id: bigint, key: text },
  text: 'delete from job_keys where dedupe_key = :key and job_id = :id',
  plan: 'once',
});

/** Deletes a key whose job is done, dead or deleted. */
export const deleteKeyOfEnded = defineStatement({
  params: { key: text },
  text: `delete from job_keys k where k.dedupe_key = :key
    and not exists (select from outbox o where o.id = k.job_id and o.state in ('pending', 'dispatched'))`,
});

/** Waiting jobs are counted up to this number, so that counting stays cheap. */
const COUNT_UP_TO = 10_000;

/**
 * Counts due, running and dead jobs by queue and state, up to {@link COUNT_UP_TO} each, with the oldest due time. A
 * loose scan of the index of unfinished jobs finds the states and queues that have jobs, so the cost depends neither on
 * the number of finished jobs nor on the size of a backlog.
 */
export const selectBacklog = defineStatement({
  params: { now: timestamptz },
  row: {
    queue: textOf<QueueName>(),
    state: textOf<'pending' | 'dispatched' | 'dead'>(),
    count: integer,
    oldest: timestamptz,
  },
  text: `with recursive lane (state, queue) as (
      (select state, queue from outbox where state <> 'done' order by state, queue limit 1)
      union all
      select next.* from lane cross join lateral (
        select o.state, o.queue from outbox o
        where o.state <> 'done' and (o.state, o.queue) > (lane.state, lane.queue)
        order by o.state, o.queue limit 1) next)
    select lane.queue, lane.state, held.count::int as count, held.oldest
    from lane cross join lateral (
      select count(*) as count, min(run_at) as oldest from (
        select o.run_at from outbox o
        where o.state <> 'done' and o.state = lane.state and o.queue = lane.queue
          and o.run_at <= case lane.state when 'dead' then 'infinity' else :now::timestamptz end
        order by o.run_at limit ${COUNT_UP_TO}) due) held
    where held.count > 0
    order by lane.queue, lane.state`,
});

/** Selects the payloads of a kind's dead jobs whose `jobId` is one of `jobIds`. */
export const selectDeadPayloads = defineStatement({
  params: { queue: textOf<QueueName>(), name: text, jobIds: arrayOf(text) },
  row: { payload: jsonb<unknown>() },
  text: `select payload from outbox
    where state = 'dead' and queue = :queue and name = :name
      and payload ->> 'jobId' = any(:jobIds::text[])
    order by id`,
});

const DEAD_JOB = {
  id: bigint,
  queue: text,
  name: text,
  attempts: integer,
  reason: nullable(text),
  createdAt: timestamptz,
};
/** A dead job, with its last error. */
export type DeadJob = RowOf<typeof DEAD_JOB>;

/** Selects dead jobs, newest first. */
export const selectDeadJobs = defineStatement({
  params: { limit: bigint },
  row: DEAD_JOB,
  text: `select id, queue, name, attempts, last_error as reason, created_at as "createdAt"
    from outbox where state = 'dead' order by id desc limit :limit`,
});

/** Makes a dead job due with a full set of attempts; changes no row if there is no such job. */
export const updateRevived = defineStatement({
  params: { id: bigint, now: timestamptz },
  text: `update outbox set state = 'pending', attempts = 0, run_at = :now
    where id = :id and state = 'dead'`,
});

/** Records jobs; drops a job whose key already exists. */
export async function writeJobs(
  pipeline: Pipeline,
  jobs: readonly JobRequest[],
  { now, traceParent }: { now: Date; traceParent: string | null },
): Promise<void> {
  await insertJobs.send(pipeline, {
    now,
    traceParent,
    queues: jobs.map((job) => job.queue),
    names: jobs.map((job) => job.name),
    payloads: jobs.map((job) => JSON.stringify(job.payload)),
    runAts: jobs.map((job) => job.runAt),
    keys: jobs.map((job) => job.dedupeKey),
  });
}

/** Releases dispatches that have not started. */
export async function release(sql: Sql, jobs: readonly UnbegunJob[]): Promise<void> {
  const attempts = jobs.map((job) => job.attempts);
  await updateReleased.run(sql, { ...toDispatches(jobs.map(ticketOf)), attempts });
}

/** Starts an attempt of each current dispatch. */
export function start(
  sql: Sql,
  tickets: readonly JobReference[],
  leaseUntil: Date,
): Promise<StartedJob[]> {
  // Statements that lock many rows lock them in the same order, to avoid deadlocks.
  const inOrder = [...tickets].sort((one, other) => one.outboxId - other.outboxId);
  return updateStarted.all(sql, { ...toDispatches(inOrder), leaseUntil });
}

/** Extends the lease of dispatches that are queued or running. */
export async function extendLeases(
  sql: Sql,
  tickets: readonly JobReference[],
  leaseUntil: Date,
): Promise<void> {
  await updateLeases.run(sql, { ...toDispatches(tickets), leaseUntil });
}

/** Makes lost dispatches due again, under the next epoch. */
export async function requeue(sql: Sql, jobs: readonly DispatchedJob[]): Promise<void> {
  await updateRequeued.run(sql, toDispatches(jobs.map(ticketOf)));
}

function toDispatches(tickets: readonly JobReference[]): ParamsOf<typeof DISPATCHES> {
  return {
    ids: tickets.map(({ outboxId }) => outboxId),
    epochs: tickets.map(({ epoch }) => epoch),
  };
}
