import { prepared, type Sql, type Tx } from '../../platform/database/postgres.ts';
import type { DispatchedJob, JobRequest } from './job.ts';
import type { QueueName } from './job-queues.ts';

export async function insertJobs(
  tx: Tx,
  jobs: readonly JobRequest[],
  { now, traceParent }: { now: Date; traceParent: string | null },
): Promise<void> {
  await prepared(
    tx,
    `insert into outbox (queue, name, payload, run_at, dedupe_key, created_at, trace_parent)
     select j.queue, j.name, j.payload, j.run_at, j.dedupe_key, :now, :traceParent::text
     from unnest(:queues::text[], :names::text[], :payloads::jsonb[], :runAts::timestamptz[], :keys::text[])
       as j (queue, name, payload, run_at, dedupe_key)
     on conflict (dedupe_key) do nothing`,
    {
      now,
      traceParent,
      queues: jobs.map((job) => job.queue),
      names: jobs.map((job) => job.name),
      payloads: jobs.map((job) => JSON.stringify(job.payload)),
      runAts: jobs.map((job) => job.runAt),
      keys: jobs.map((job) => job.dedupeKey),
    },
  );
}

/** Takes up to `limit` due jobs for dispatch, oldest first; other relays skip them. */
export async function claimDue(
  sql: Sql,
  options: { now: Date; leaseUntil: Date; limit: number },
): Promise<DispatchedJob[]> {
  const { rows } = await sql.raw(
    `update outbox set state = 'dispatched', epoch = epoch + 1, lease_until = :leaseUntil
     where id in (
       select id from outbox where state = 'pending' and run_at <= :now
       order by run_at, id limit :limit for update skip locked)
     returning id, queue, name, epoch`,
    options,
  );
  return rows;
}

/** Puts dispatches that never reached Redis back, to be taken again at once. */
export async function release(sql: Sql, ids: readonly number[]): Promise<void> {
  await sql.raw(
    `update outbox set state = 'pending', lease_until = null where id = any(:ids) and state = 'dispatched'`,
    { ids },
  );
}

export interface StartedJob {
  payload: unknown;
  attempts: number;
  createdAt: Date;
  /** W3C traceparent of what enqueued it. */
  traceParent: string | null;
}

/** Begins an attempt if this dispatch is the present one; undefined when it is stale or done. */
export async function startAttempt(
  sql: Sql,
  options: { id: number; epoch: number; leaseUntil: Date },
): Promise<StartedJob | undefined> {
  const { rows } = await sql.raw(
    `update outbox set attempts = attempts + 1, lease_until = :leaseUntil, state = 'dispatched'
     where id = :id and epoch = :epoch and state in ('dispatched', 'dead')
     returning payload, attempts, created_at as "createdAt", trace_parent as "traceParent"`,
    options,
  );
  return rows[0];
}

export async function extendLease(
  sql: Sql,
  id: number,
  epoch: number,
  leaseUntil: Date,
): Promise<void> {
  await sql.raw(
    `update outbox set lease_until = :leaseUntil where id = :id and epoch = :epoch and state = 'dispatched'`,
    { id, epoch, leaseUntil },
  );
}

/** False when it was done already. */
export async function finish(sql: Sql, id: number, now: Date): Promise<boolean> {
  const result = await sql.raw(
    `update outbox set state = 'done', done_at = :now, lease_until = null, last_error = null
     where id = :id and state <> 'done'`,
    { id, now },
  );
  return result.rowCount === 1;
}

export interface Postponement {
  id: number;
  epoch: number;
  runAt: Date;
  error: string | null;
  /** What becomes of the count: this attempt stays in it, is taken out of it, or the count starts anew. */
  attempts: 'keep' | 'uncount' | 'reset';
}

export async function postpone(sql: Sql, p: Postponement): Promise<void> {
  await sql.raw(
    `update outbox set state = 'pending', run_at = :runAt, lease_until = null, last_error = :error,
       attempts = case :attempts::text when 'keep' then attempts when 'uncount' then attempts - 1 else 0 end
     where id = :id and epoch = :epoch and state = 'dispatched'`,
    { ...p },
  );
}

export async function markDead(sql: Sql, id: number, epoch: number, error: string): Promise<void> {
  await sql.raw(
    `update outbox set state = 'dead', lease_until = null, last_error = :error
     where id = :id and epoch = :epoch and state = 'dispatched'`,
    { id, epoch, error },
  );
}

/** Dispatches whose lease is over (or all of them, when Redis may have lost jobs), a page at a time. */
export async function findOverdue(
  sql: Sql,
  options: { now: Date; everything: boolean; afterId: number; limit: number },
): Promise<DispatchedJob[]> {
  const { rows } = await sql.raw(
    `select id, queue, name, epoch from outbox
     where state = 'dispatched' and id > :afterId and (lease_until <= :now or :everything)
     order by id limit :limit`,
    options,
  );
  return rows;
}

/** Puts off the lease of dispatches that are still on their way. */
export async function extendLeases(
  sql: Sql,
  jobs: readonly DispatchedJob[],
  leaseUntil: Date,
): Promise<void> {
  await sql.raw(
    `update outbox o set lease_until = :leaseUntil
     from unnest(:ids::bigint[], :epochs::integer[]) as j (id, epoch)
     where o.id = j.id and o.epoch = j.epoch and o.state = 'dispatched'`,
    { leaseUntil, ids: jobs.map((job) => job.id), epochs: jobs.map((job) => job.epoch) },
  );
}

export async function requeue(sql: Sql, jobs: readonly DispatchedJob[], now: Date): Promise<void> {
  await sql.raw(
    `update outbox o set state = 'pending', run_at = least(o.run_at, :now), lease_until = null
     from unnest(:ids::bigint[], :epochs::integer[]) as j (id, epoch)
     where o.id = j.id and o.epoch = j.epoch and o.state = 'dispatched'`,
    { now, ids: jobs.map((job) => job.id), epochs: jobs.map((job) => job.epoch) },
  );
}

export async function deleteFinished(sql: Sql, before: Date, limit: number): Promise<number> {
  const result = await sql.raw(
    `delete from outbox where id in (
       select id from outbox where state = 'done' and done_at < :before limit :limit)`,
    { before, limit },
  );
  return result.rowCount ?? 0;
}

export interface Backlog {
  queue: QueueName;
  state: 'pending' | 'dispatched' | 'dead';
  /** Up to {@link COUNT_UP_TO}. */
  count: number;
  oldest: Date;
}

/** A queue can have any number of jobs waiting; beyond this it is just many. */
const COUNT_UP_TO = 10_000;

/**
 * What is due and not done, or dead, by queue and state. The states and queues that have something are found by
 * jumping from one entry of the index of what is not done to the next, so that neither what is finished nor
 * what is far too much to count takes time.
 */
export async function countBacklog(sql: Sql, now: Date): Promise<Backlog[]> {
  const { rows } = await sql.raw(
    `with recursive lane (state, queue) as (
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
    { now },
  );
  return rows;
}

/** The payloads of dead jobs of a kind that name one of these jobs of its feature as `jobId`. */
export async function selectDeadPayloads(
  sql: Sql,
  kind: { queue: QueueName; name: string },
  jobIds: readonly string[],
): Promise<unknown[]> {
  const { rows } = await sql.raw(
    `select payload from outbox
     where state = 'dead' and queue = :queue and name = :name
       and payload ->> 'jobId' = any(:jobIds::text[])
     order by id`,
    { ...kind, jobIds: [...jobIds] },
  );
  return rows.map(({ payload }: { payload: unknown }) => payload);
}

export interface DeadJob {
  id: number;
  queue: string;
  name: string;
  attempts: number;
  reason: string | null;
  createdAt: Date;
}

/** The newest first. */
export async function selectDeadJobs(sql: Sql, limit: number): Promise<DeadJob[]> {
  return sql('outbox')
    .select('id', 'queue', 'name', 'attempts', { reason: 'last_error', createdAt: 'created_at' })
    .where({ state: 'dead' })
    .orderBy('id', 'desc')
    .limit(limit);
}

/** Makes a dead job due, with all its attempts; false when there is no such one. */
export async function reviveJob(sql: Sql, id: number, now: Date): Promise<boolean> {
  const revived = await sql('outbox')
    .where({ id, state: 'dead' })
    .update({ state: 'pending', attempts: 0, run_at: now });
  return revived === 1;
}
