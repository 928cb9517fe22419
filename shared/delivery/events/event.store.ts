import type { Environment } from '../../platform/config/config.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  nullable,
  type ParamsOf,
  present,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { EventBody, EventType, Stream } from '../event-types/event.ts';

const STREAM = { partnerId: text, environment: textOf<Environment>() };
const EVENT = { id: text, type: textOf<EventType>(), subject: text, body: text };
/** An event as it is stored; `body` is the exact text that is signed and delivered. */
export type EventRow = ParamsOf<typeof EVENT>;

/**
 * Appends to a stream. The update of the stream's row is held until the transaction ends, so positions
 * follow the order of commits and a reader never steps over a gap that fills later.
 */
export const insertIntoStream = defineStatement({
  params: {
    ...STREAM,
    createdAt: timestamptz,
    count: bigint,
    ids: arrayOf(text),
    types: arrayOf(textOf<EventType>()),
    subjects: arrayOf(text),
    bodies: arrayOf(text),
  },
  text: `with stream as (
      insert into event_streams as s (partner_id, environment, head) values (:partnerId, :environment, :count)
      on conflict (partner_id, environment) do update set head = s.head + :count
      returning head)
    insert into events (id, partner_id, environment, position, type, subject, body, created_at)
    select e.id, :partnerId, :environment, stream.head - :count + e.ord, e.type, e.subject, e.body, :createdAt
    from stream, unnest(:ids::text[], :types::text[], :subjects::text[], :bodies::text[])
      with ordinality as e (id, type, subject, body, ord)`,
  plan: 'once',
});

/** Keeps an event that is delivered but has no place in the history. */
export const insertOutsideStream = defineStatement({
  params: { ...STREAM, ...EVENT, createdAt: timestamptz },
  text: `insert into events (id, partner_id, environment, position, type, subject, body, created_at)
    values (:id, :partnerId, :environment, null, :type, :subject, :body, :createdAt)`,
});

/**
 * Up to `limit` events after `afterId`, oldest first, each beside the position of `afterId` (null when that is
 * none of this stream's); a single row without a body when there are none.
 */
export const selectStreamPage = defineStatement({
  params: { ...STREAM, afterId: nullable(text), limit: bigint },
  row: { after: nullable(bigint), body: nullable(text) },
  text: `select c.position as after, e.body
    from (select case when :afterId::text is null then 0 else (
            select position from events
            where id = :afterId and partner_id = :partnerId and environment = :environment) end as position) c
    left join lateral (
      select body, position from events
      where partner_id = :partnerId and environment = :environment and position > c.position
      order by position limit :limit) e on true
    order by e.position`,
  plan: 'once',
});

const NEWEST = {
  ...EVENT,
  position: present(bigint, 'those without one are left out'),
  subject: present(text, 'every event of the history is about something'),
  createdAt: timestamptz,
};
/** An event in the history of its stream. */
export type NewestEvent = RowOf<typeof NEWEST>;

/** Events of the history before a position, newest first. */
export const selectNewest = defineStatement({
  params: { ...STREAM, before: nullable(bigint), limit: bigint },
  row: NEWEST,
  text: `select position, id, type, subject, body, created_at as "createdAt" from events
    where partner_id = :partnerId and environment = :environment and position is not null
      and (:before::bigint is null or position < :before)
    order by position desc limit :limit`,
});

/** Deletes up to `limit` events before an id that are no part of the history and of which no delivery is left. */
export const deletePings = defineStatement({
  params: { before: text, limit: bigint },
  text: `delete from events where id in (
      select e.id from events e where e.position is null and e.id < :before
        and not exists (select 1 from webhook_deliveries d where d.event_id = e.id)
      order by e.id limit :limit)`,
});

/** Appends to a stream, in this order. */
export async function appendToStream(
  tx: Tx,
  { partnerId, environment }: Stream,
  events: readonly EventRow[],
  createdAt: Date,
): Promise<void> {
  await insertIntoStream.run(tx, {
    partnerId,
    environment,
    createdAt,
    count: events.length,
    ids: events.map((event) => event.id),
    types: events.map((event) => event.type),
    subjects: events.map((event) => event.subject),
    bodies: events.map((event) => event.body),
  });
}

/** Up to `limit` events after `afterId`, oldest first; `known` is false when `afterId` is none of this stream's. */
export async function readStream(
  sql: Sql,
  { partnerId, environment }: Stream,
  page: { afterId: string | null; limit: number },
): Promise<{ known: boolean; events: EventBody[] }> {
  const rows = await selectStreamPage.all(sql, { ...page, partnerId, environment });
  const known = rows[0]?.after !== null;
  const bodies = rows.map((row) => row.body).filter((body) => body !== null);
  return { known, events: bodies.map((body) => JSON.parse(body)) };
}
