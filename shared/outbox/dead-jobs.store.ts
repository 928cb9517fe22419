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
