import type { Sql } from '../platform/db.ts';
import type { QueueName } from '../platform/queues.ts';

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
