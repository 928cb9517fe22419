import { addMs, DAY, HOUR } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Pipeline } from '../../platform/database/pipeline.ts';
import type { Sql } from '../../platform/database/postgres.ts';
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
import { idRangeAt, isId, timeOfId } from '../../platform/ids.ts';
import type { EventBody, EventType, Stream } from '../event-types/event.ts';

const STREAM = { partnerId: text, environment: textOf<Environment>() };
const EVENT = { id: text, type: textOf<EventType>(), subject: text, body: text };
/** An event as stored; `body` is the exact text that is signed and delivered. */
export type EventRow = ParamsOf<typeof EVENT>;

/**
 * Appends to a stream. The stream's row stays locked until the transaction ends, so positions follow the commit order
 * and a reader never skips a gap that is filled later.
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

/** Locks a stream until the transaction ends, as appending does. */
export const lockStream = defineStatement({
  params: STREAM,
  text: `insert into event_streams as s (partner_id, environment, head) values (:partnerId, :environment, 0)
    on conflict (partner_id, environment) do update set head = s.head`,
  plan: 'once',
});

/** Stores an event that is delivered but is not part of the history. */
export const insertOutsideStream = defineStatement({
  params: { ...STREAM, ...EVENT, createdAt: timestamptz },
  text: `insert into events (id, partner_id, environment, position, type, subject, body, created_at)
    values (:id, :partnerId, :environment, null, :type, :subject, :body, :createdAt)`,
});

const STREAM_PAGE = { after: nullable(bigint), head: bigint, body: nullable(text) };

/**
 * Selects up to `limit` events after `afterId` with ids in a range, oldest first, each with the head of the stream and
 * the position of `afterId` (null if that is not an event of this stream). If there are none, returns a single row
 * without a body.
 */
export const selectStreamPage = defineStatement({
  params: { ...STREAM, afterId: nullable(text), limit: bigint, first: text, last: text },
  row: STREAM_PAGE,
  text: `select c.position as after,
      coalesce((select head from event_streams where partner_id = :partnerId and environment = :environment), 0) as head,
      e.body
    from (select case when :afterId::text is null then 0 else (
            select position from events
            where id = :afterId and partner_id = :partnerId and environment = :environment) end as position) c
    left join lateral (
      select body, position from events
      where partner_id = :partnerId and environment = :environment and position > c.position
        and position <= c.position + :limit and id >= :first and id <= :last
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

/** Selects events of the history before a position, newest first. */
export const selectNewest = defineStatement({
  params: { ...STREAM, before: nullable(bigint), limit: bigint },
  row: NEWEST,
  text: `select position, id, type, subject, body, created_at as "createdAt" from events
    where partner_id = :partnerId and environment = :environment and position is not null
      and (:before::bigint is null or position < :before)
    order by position desc limit :limit`,
});

/** Deletes up to `limit` events with ids before `before` that are not in the history and have no deliveries left. */
export const deletePings = defineStatement({
  params: { before: text, limit: bigint },
  text: `delete from events where id in (
      select e.id from events e where e.position is null and e.id < :before
        and not exists (select 1 from webhook_deliveries d where d.event_id = e.id)
      order by e.id limit :limit)`,
});

/** Appends events to a stream in the given order. */
export async function appendToStream(
  pipeline: Pipeline,
  { partnerId, environment }: Stream,
  events: readonly EventRow[],
  createdAt: Date,
): Promise<void> {
  await insertIntoStream.send(pipeline, {
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

/** How much of the history around an id is read first; an id's time is the start of its transaction. */
const BEFORE_MS = HOUR;
const AFTER_MS = 31 * DAY;

/** The range of all ids. */
const ALL_IDS = { first: '', last: '~' };

/**
 * Returns up to `limit` events after `afterId`, oldest first; `known` is false if `afterId` is not an event of this
 * stream. Positions have no gaps, so a page shows whether it is complete: the month after `afterId` is read first, and
 * all months only if that does not fill the page.
 */
export async function readStream(
  sql: Sql,
  { partnerId, environment }: Stream,
  { afterId, limit }: { afterId: string | null; limit: number },
): Promise<{ known: boolean; events: EventBody[] }> {
  const page = { partnerId, environment, afterId, limit };
  const near = idsAround(afterId);
  let rows = await selectStreamPage.all(sql, { ...page, ...(near ?? ALL_IDS) });
  if (near && !isWhole(rows, limit))
    rows = await selectStreamPage.all(sql, { ...page, ...ALL_IDS });
  const known = rows[0]?.after !== null;
  const bodies = bodiesOf(rows);
  return { known, events: bodies.map((body) => JSON.parse(body)) };
}

function idsAround(id: string | null): { first: string; last: string } | undefined {
  if (id === null || !isId('event', id)) return undefined;
  const at = timeOfId(id);
  return {
    first: idRangeAt('event', addMs(at, -BEFORE_MS)).first,
    last: idRangeAt('event', addMs(at, AFTER_MS)).last,
  };
}

function isWhole(rows: readonly RowOf<typeof STREAM_PAGE>[], limit: number): boolean {
  const [first] = rows;
  if (!first || first.after === null) return true;
  return bodiesOf(rows).length === Math.min(limit, first.head - first.after);
}

function bodiesOf(rows: readonly RowOf<typeof STREAM_PAGE>[]): string[] {
  return rows.map(({ body }) => body).filter((body) => body !== null);
}
