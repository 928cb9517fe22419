import { prepared, type Sql, type Tx } from '../../platform/database/postgres.ts';
import type { EventBody, Stream } from './event.ts';

export interface EventRow {
  id: string;
  type: string;
  subject: string;
  body: string;
}

/**
 * Appends to a stream. The update of the stream's row is held until the transaction ends, so positions
 * follow the order of commits and a reader never steps over a gap that fills later.
 */
export async function appendToStream(
  tx: Tx,
  stream: Stream,
  events: readonly EventRow[],
  createdAt: Date,
): Promise<void> {
  await prepared(
    tx,
    `with stream as (
       insert into event_streams as s (partner_id, environment, head) values (:partnerId, :environment, :count)
       on conflict (partner_id, environment) do update set head = s.head + :count
       returning head)
     insert into events (id, partner_id, environment, position, type, subject, body, created_at)
     select e.id, :partnerId, :environment, stream.head - :count + e.ord, e.type, e.subject, e.body, :createdAt
     from stream, unnest(:ids::text[], :types::text[], :subjects::text[], :bodies::text[])
       with ordinality as e (id, type, subject, body, ord)`,
    {
      ...stream,
      createdAt,
      count: events.length,
      ids: events.map((event) => event.id),
      types: events.map((event) => event.type),
      subjects: events.map((event) => event.subject),
      bodies: events.map((event) => event.body),
    },
  );
}

/** Keeps an event that is delivered but has no place in the history. */
export async function insertOutsideStream(
  tx: Tx,
  stream: Stream,
  event: EventRow,
  createdAt: Date,
): Promise<void> {
  await tx('events').insert({
    id: event.id,
    partner_id: stream.partnerId,
    environment: stream.environment,
    position: null,
    type: event.type,
    subject: event.subject,
    body: event.body,
    created_at: createdAt,
  });
}

/** Up to `limit` events after `afterId`, oldest first; `known` is false when `afterId` is none of this stream's. */
export async function readStream(
  sql: Sql,
  stream: Stream,
  options: { afterId: string | null; limit: number },
): Promise<{ known: boolean; events: EventBody[] }> {
  const { rows } = await prepared(
    sql,
    `select c.position as after, e.body
     from (select case when :afterId::text is null then 0 else (
             select position from events
             where id = :afterId and partner_id = :partnerId and environment = :environment) end as position) c
     left join lateral (
       select body, position from events
       where partner_id = :partnerId and environment = :environment and position > c.position
       order by position limit :limit) e on true
     order by e.position`,
    { ...stream, ...options },
  );
  const known = rows[0]?.after !== null;
  const events = rows.filter((row: { body: string | null }) => row.body !== null);
  return { known, events: events.map((row: { body: string }) => JSON.parse(row.body)) };
}
