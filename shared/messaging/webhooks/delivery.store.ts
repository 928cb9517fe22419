import type { Environment } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement, opaque, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  jsonb,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { EVENT_TYPES, type EventType } from '../event-types/event.ts';
import type { Attempt, Delivery, DeliveryStatus } from './delivery.ts';
import type { EndpointOwner } from './endpoint.ts';
import { DELIVER_KEY, deliverJob } from './webhook.jobs.ts';

const OWNER = { partnerId: text, environment: textOf<Environment>() };

/** The condition for the owner's active endpoints `w`. */
const IN_SERVICE = `w.partner_id = :partnerId and w.environment = :environment and w.active
      and w.disabled_reason is distinct from 'removed'`;

/** Whether endpoint `w` accepts the type of event `e`. A pattern is the part before the first dot, then `.*`. */
const TAKES_TYPE = `(w.event_types is null or w.event_types && array[e.type, split_part(e.type, '.', 1) || '.*'])`;

/** The columns that order the events of a subject, for endpoints with ordering. Pings are unordered. */
const ORDER_OF_SUBJECT = ['e.subject', 'e.position']
  .map(
    (column) =>
      `case when w.ordering = 'per_subject' and e.position is not null then ${column} end`,
  )
  .join(', ');

/** A delivery's id: the one id generated per event, with the last character numbering the endpoints. */
const ID_OF = `left(d.id, -1) || substr('0123456789abcdefghjkmnpqrstvwxyz',
      row_number() over (partition by d.id order by w.id)::int, 1)`;

const COLUMNS = `id, endpoint_id, partner_id, environment, event_id, event_type, subject, position, next_attempt_at,
      created_at`;

const SCHEDULED = {
  endpointId: text,
  ids: arrayOf(text),
  /** Whether the endpoint's job became due, so that the relay must be woken. */
  isDue: boolean,
};
/** The deliveries scheduled for an endpoint. */
export type Scheduled = RowOf<typeof SCHEDULED>;

const { queue, name } = deliverJob;
/** The job arguments for an endpoint `w` that has new deliveries in `made`. */
const JOB = `'${queue}', '${name}', jsonb_build_object('endpoint', w.id, 'partner', w.partner_id,
        'environment', w.environment, 'waiting', cardinality(made.ids)), '${DELIVER_KEY}' || w.id`;

/**
 * Wraps `insert`, which schedules deliveries, so that each endpoint also gets a job that is due now at the latest. If
 * the endpoint's breaker is open, its existing job is not moved up: new deliveries wait, too.
 */
const scheduling = (insert: string) => `with made as (${insert} returning id, endpoint_id)
    select w.id as "endpointId", made.ids, case
      when o.id is null then ask_for_job(${JOB}, :now, :traceParent::text)
      when o.run_at > :now and coalesce(w.open_until <= :now, true) then hasten_job(o.id, :now)
      else false end as "isDue"
    from (select endpoint_id, array_agg(id) as ids from made group by endpoint_id) made
    join webhook_endpoints w on w.id = made.endpoint_id
    -- The limit has the planner look each of them up by its key, however few keys there seem to be.
    left join lateral (
      select job_id from job_keys where dedupe_key = '${DELIVER_KEY}' || made.endpoint_id limit 1) k on true
    left join outbox o on o.id = k.job_id and ${opaque(`o.state <> 'done'`)}`;

/**
 * Schedules deliveries of the events just appended to the owner's stream, to each endpoint that accepts their type.
 * The stream must be locked, so that these events have its last positions.
 */
export const insertDeliveries = defineStatement({
  params: {
    ...OWNER,
    ids: arrayOf(text),
    eventIds: arrayOf(text),
    types: arrayOf(textOf<EventType>()),
    subjects: arrayOf(text),
    now: timestamptz,
    traceParent: nullable(text),
  },
  row: SCHEDULED,
  text: scheduling(`insert into webhook_deliveries (${COLUMNS}, trace_parent)
    select ${ID_OF}, w.id, w.partner_id, w.environment, e.id, e.type, ${ORDER_OF_SUBJECT}, :now, :now, :traceParent::text
    from webhook_endpoints w
      join event_streams s on s.partner_id = w.partner_id and s.environment = w.environment,
      unnest(:ids::text[], :eventIds::text[], :types::text[], :subjects::text[])
        with ordinality as d (id, event_id, type, subject, place),
      lateral (select d.event_id as id, d.type, d.subject,
        s.head - cardinality(:ids::text[]) + d.place as position) e
    where ${IN_SERVICE} and ${TAKES_TYPE}`),
  plan: 'once',
});

/** Schedules an event for one active endpoint, by its id or name, whatever event types it accepts. */
export const insertDelivery = defineStatement({
  params: {
    ...OWNER,
    endpoint: text,
    id: text,
    eventId: text,
    resendOf: nullable(text),
    now: timestamptz,
    traceParent: nullable(text),
  },
  row: SCHEDULED,
  text: scheduling(`insert into webhook_deliveries (${COLUMNS}, resend_of)
    select :id, w.id, w.partner_id, w.environment, e.id, e.type, ${ORDER_OF_SUBJECT}, :now, :now, :resendOf
    from webhook_endpoints w, events e
    where :endpoint in (w.id, w.name) and ${IN_SERVICE}
      and e.id = :eventId and e.partner_id = w.partner_id and e.environment = w.environment`),
});

/** Schedules events for the endpoint of a replay. */
export const insertReplayed = defineStatement({
  params: {
    endpointId: text,
    replayId: text,
    ids: arrayOf(text),
    eventIds: arrayOf(text),
    now: timestamptz,
    traceParent: nullable(text),
  },
  row: SCHEDULED,
  text: scheduling(`insert into webhook_deliveries (${COLUMNS}, replay_id)
    select d.id, w.id, w.partner_id, w.environment, e.id, e.type, ${ORDER_OF_SUBJECT}, :now, :now, :replayId
    from webhook_endpoints w, unnest(:ids::text[], :eventIds::text[]) as d (id, event_id), events e
    where w.id = :endpointId and w.active and e.id = d.event_id
      and e.partner_id = w.partner_id and e.environment = w.environment`),
});

/** Schedules an event of the history again, for each of the owner's endpoints that accept its type. */
export const insertResends = defineStatement({
  params: { ...OWNER, id: text, eventId: text, now: timestamptz, traceParent: nullable(text) },
  row: SCHEDULED,
  text: scheduling(`insert into webhook_deliveries (${COLUMNS}, resend_of)
    select ${ID_OF}, w.id, w.partner_id, w.environment, e.id, e.type, ${ORDER_OF_SUBJECT}, :now, :now,
      (select max(sent.id) from webhook_deliveries sent where sent.event_id = e.id and sent.endpoint_id = w.id)
    from webhook_endpoints w, (select :id::text as id) d, events e
    where ${IN_SERVICE} and e.id = :eventId and ${TAKES_TYPE}`),
});

/** Selects the event of an owner's delivery, and the endpoint that now has the name of the delivery's endpoint. */
export const selectDeliveryEvent = defineStatement({
  params: { ...OWNER, id: text },
  row: { eventId: text, endpointId: nullable(text) },
  text: `select d.event_id as "eventId", w.id as "endpointId"
    from webhook_deliveries d join webhook_endpoints sent on sent.id = d.endpoint_id
    left join webhook_endpoints w on w.partner_id = sent.partner_id and w.environment = sent.environment
      and w.name = sent.name and w.disabled_reason is distinct from 'removed'
    where d.id = :id and d.partner_id = :partnerId and d.environment = :environment`,
});

/** Selects whether this is one of the owner's events; pings do not count. */
export const selectEventExists = defineStatement({
  params: { ...OWNER, eventId: text },
  row: { exists: boolean },
  text: `select exists (select 1 from events where id = :eventId and partner_id = :partnerId
      and environment = :environment and position is not null) as exists`,
});

/** Cancels an endpoint's pending deliveries; deliveries being sent end with their own outcome. */
export const updatePendingCancelled = defineStatement({
  params: { endpointId: text, now: timestamptz },
  text: `update webhook_deliveries set state = 'cancelled', finished_at = :now
    where endpoint_id = :endpointId and state = 'pending' and least(attempts, 1) in (0, 1)`,
});

/** Selects the oldest delivery; no row if there is none. */
export const selectOldest = defineStatement({
  row: { id: text },
  text: 'select id from webhook_deliveries order by id limit 1',
});

const DELIVERY = {
  id: text,
  endpointId: text,
  eventId: text,
  eventType: text,
  state: textOf<DeliveryStatus>(),
  nextAttemptAt: nullable(timestamptz),
  createdAt: timestamptz,
  finishedAt: nullable(timestamptz),
  resendOf: nullable(text),
  replayId: nullable(text),
};

/** Returns SQL for the newest deliveries that pass the filters and the condition `further`. */
const newest = (further: string) => `select d.id from webhook_deliveries d
      where ${further}
        and (:eventId::text is null or d.event_id = :eventId)
        and (:fromId::text is null or d.id >= :fromId)
        and (:states::text[] is null or d.state = any(:states))
        and (not :undelivered::boolean or ${opaque(`d.state <> 'delivered'`)})
        and (:before::text is null or d.id < :before)
      order by d.id desc limit :limit`;

const OF_OWNER = 'd.partner_id = :partnerId and d.environment = :environment';
const OF_ENDPOINT = 'd.endpoint_id = :endpointId';
// An endpoint has one owner. The planner thinks the two independent, expects few rows, and reads all of either.
const AND_OF_ENDPOINT = `(:endpointId::text is null or ${opaque(OF_ENDPOINT)})`;

/** Which index finds the deliveries. Without `ofTypes`, deliveries of a rare type would need a scan of all. */
const FOUND = {
  ofOwner: newest(`${OF_OWNER} and ${AND_OF_ENDPOINT}`),
  ofEndpoint: newest(`${OF_ENDPOINT} and ${opaque(OF_OWNER)}`),
  ofTypes: `select of_type.id from unnest(:eventTypes::text[]) as meant (type)
      cross join lateral (${newest(`${OF_OWNER} and d.event_type = meant.type
        and (:endpointId::text is null or ${OF_ENDPOINT})`)}) of_type`,
};

/** Selects deliveries from `fromId` up to `before` (exclusive), newest first. */
export const selectDeliveries = variantsOf(['ofOwner', 'ofEndpoint', 'ofTypes'], (which) =>
  defineStatement({
    params: {
      ...OWNER,
      endpointId: nullable(text),
      eventId: nullable(text),
      eventTypes: arrayOf(text),
      states: nullable(arrayOf(textOf<DeliveryStatus>())),
      /** Whether `states` excludes `delivered`: the few other deliveries have their own index. */
      undelivered: boolean,
      fromId: nullable(text),
      before: nullable(text),
      limit: bigint,
    },
    row: DELIVERY,
    text: `select d.id, d.endpoint_id as "endpointId", d.event_id as "eventId", d.event_type as "eventType", d.state,
        case when d.finished_at is null then d.next_attempt_at end as "nextAttemptAt",
        d.created_at as "createdAt", d.finished_at as "finishedAt", d.resend_of as "resendOf",
        d.replay_id as "replayId"
      from (${FOUND[which]}) found join webhook_deliveries d on d.id = found.id
      order by d.id desc limit :limit`,
  }),
);

const SENT = {
  id: text,
  subject: nullable(text),
  attempts: jsonb<(Omit<Attempt, 'startedAt'> & { startedAt: string })[]>(),
};

/** Selects each delivery of `ids` with the subject of its event and its attempts in order. */
export const selectSent = defineStatement({
  params: {
    ids: arrayOf(text),
    eventIds: arrayOf(text),
    /** The first and last of these ids, so that Postgres reads only the partitions of their months and weeks. */
    firstId: text,
    lastId: text,
    firstEvent: text,
    lastEvent: text,
  },
  row: SENT,
  text: `select d.id, e.subject, coalesce(a.attempts, '[]') as attempts
    from unnest(:ids::text[], :eventIds::text[]) as d (id, event_id)
    -- The limit has the planner look each of them up by its id.
    cross join lateral (select subject from events
      where id = d.event_id and id between :firstEvent and :lastEvent limit 1) e
    left join lateral (
      select jsonb_agg(jsonb_build_object(
        'attempt', attempt, 'startedAt', started_at, 'elapsedMs', elapsed_ms, 'statusCode', status,
        'outcome', outcome, 'detail', detail,
        'requestHeaders', request_headers, 'responseHeaders', response_headers,
        'responseBody', response_body) order by attempt) as attempts
      from webhook_attempts where delivery_id = d.id and delivery_id between :firstId and :lastId) a on true`,
});

/** Returns deliveries from `fromId` up to `before` (exclusive), newest first, each with its attempts in order. */
export async function readDeliveries(
  sql: Sql,
  { partnerId, environment }: EndpointOwner,
  page: {
    endpointId: string | null;
    eventId: string | null;
    eventType: string | null;
    status: DeliveryStatus | null;
    fromId: string | null;
    before: string | null;
    limit: number;
  },
): Promise<Delivery[]> {
  const { status, eventType, ...rest } = page;
  const states = status && [status];
  const undelivered = status !== null && status !== 'delivered';
  // Undelivered ones are found faster through the index of the owner's few undelivered deliveries.
  const wantsEndpoint = rest.endpointId !== null && !undelivered;
  const which = eventType !== null ? 'ofTypes' : wantsEndpoint ? 'ofEndpoint' : 'ofOwner';
  const rows = await selectDeliveries[which].all(sql, {
    ...rest,
    partnerId,
    environment,
    eventTypes: eventType === null ? [] : typesOf(eventType),
    states,
    undelivered,
  });
  const sent = await readSent(sql, rows);
  return rows.flatMap(({ state, ...row }) => {
    const of = sent.get(row.id);
    return of ? [{ ...row, ...of, status: state }] : [];
  });
}

/** Returns subjects and attempts by delivery. A delivery whose event was deleted is left out. */
async function readSent(
  sql: Sql,
  rows: readonly RowOf<typeof DELIVERY>[],
): Promise<Map<string, Pick<Delivery, 'subject' | 'attempts'>>> {
  const ids = rows.map(({ id }) => id);
  const eventIds = rows.map(({ eventId }) => eventId);
  // Newest first.
  const [lastId, firstId] = [ids[0], ids.at(-1)];
  const [firstEvent, lastEvent] = [eventIds.toSorted()[0], eventIds.toSorted().at(-1)];
  if (!firstId || !lastId || !firstEvent || !lastEvent) return new Map();
  const found = await selectSent.all(sql, {
    ids,
    eventIds,
    firstId,
    lastId,
    firstEvent,
    lastEvent,
  });
  return new Map(
    found.map(({ id, subject, attempts }) => [
      id,
      {
        subject,
        attempts: attempts.map((each) => ({ ...each, startedAt: new Date(each.startedAt) })),
      },
    ]),
  );
}

/** Returns the types that a type or a pattern such as `order.*` matches. */
const typesOf = (pattern: string): string[] =>
  pattern.endsWith('.*')
    ? EVENT_TYPES.filter((type) => type.startsWith(pattern.slice(0, -1)))
    : [pattern];
