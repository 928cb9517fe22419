import type { Environment } from '../../platform/config/config.ts';
import { defineStatement, opaque, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  bytea,
  double,
  integer,
  json,
  jsonb,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { AttemptRecord } from './attempt.ts';
import type { DeliveryStatus } from './delivery.ts';
import type { Ordering, PayloadKind } from './endpoint.ts';
import type { BreakerCount, EndpointHealth } from './endpoint-health.ts';

// The statements of an endpoint's job. Statements that run many times a second are planned once per connection of
// `Postgres.indexed`, because planning takes longer than execution.

const HEALTH = {
  breaker: nullable(jsonb<BreakerCount>()),
  openUntil: nullable(timestamptz),
  failingSince: nullable(timestamptz),
  lastSuccessAt: nullable(timestamptz),
  lastFailureAt: nullable(timestamptz),
  concurrency: double,
};
const SERVED = {
  id: text,
  name: text,
  partnerId: text,
  environment: textOf<Environment>(),
  url: text,
  secret: bytea,
  previousSecret: nullable(bytea),
  previousSecretUntil: nullable(timestamptz),
  /** The endpoint's custom headers, encrypted. */
  headers: nullable(bytea),
  payload: textOf<PayloadKind>(),
  ordering: textOf<Ordering>(),
  maxPerSecond: nullable(integer),
  active: boolean,
  /** Changes whenever the partner changes the endpoint. */
  version: text,
  ...HEALTH,
};
/** An endpoint as its job sees it. */
export type ServedEndpoint = RowOf<typeof SERVED>;

/** Selects the endpoint for the current attempt of its job; no row if another process has taken over the job. */
export const selectServed = defineStatement({
  params: { endpointId: text, outboxId: bigint, epoch: integer, attempt: integer },
  row: SERVED,
  text: `select w.id, w.name, w.partner_id as "partnerId", w.environment, w.url, w.secret_ciphertext as secret,
      w.previous_secret_ciphertext as "previousSecret", w.previous_secret_until as "previousSecretUntil",
      w.headers_ciphertext as headers, w.payload, w.ordering, w.max_per_second as "maxPerSecond", w.active, w.updated_at::text as version, w.breaker,
      w.open_until as "openUntil", w.failing_since as "failingSince", w.last_success_at as "lastSuccessAt",
      w.last_failure_at as "lastFailureAt", w.concurrency
    from outbox o, webhook_endpoints w
    where o.id = :outboxId and o.epoch = :epoch and o.attempts = :attempt
      and ${opaque(`o.state = 'dispatched'`)} and w.id = :endpointId`,
  plan: 'once',
});

const DUE = {
  id: text,
  /** How many attempts were made. */
  attempts: integer,
  nextAttemptAt: timestamptz,
  /** The time of its event. */
  createdAt: timestamptz,
  /** The W3C traceparent of the code that recorded the event. */
  traceParent: nullable(text),
  /** The subject whose later deliveries wait for this one; null if the delivery is unordered. */
  inOrderOf: nullable(text),
  eventId: text,
  eventType: text,
  /** The subject of the event. */
  subject: nullable(text),
  body: text,
};
/** A due delivery, with everything that its attempt needs apart from the endpoint. */
export type DueDelivery = RowOf<typeof DUE>;

/** The condition for pending deliveries of an endpoint: first attempts in lane 0, retries in lane 1. */
const LANE = (lane: 0 | 1, endpoint: string) =>
  `d.state = 'pending' and least(d.attempts, 1) = ${lane} and d.endpoint_id = ${endpoint}`;

/** Finds the first pending delivery of each of an endpoint's subjects after `after`, by a loose index scan. */
const HEADS = (endpoint: string, after: string, further: string) => {
  const next = (subject: string) => `(select d.* from webhook_deliveries d
            where d.state = 'pending' and d.endpoint_id = ${endpoint} and d.subject > ${subject} and ${further}
            order by d.subject, d.position limit 1)`;
  return `with recursive head as (
          select h.* from ${next(after)} h
          union all
          select h.* from head cross join lateral ${next('head.subject')} h)`;
};

const FOUND =
  'd.id, d.attempts, d.next_attempt_at, d.created_at, d.trace_parent, d.event_id, d.subject';
const IN_RANGE = 'd.id >= :from and d.id <= :to';
const IS_DUE = 'd.next_attempt_at <= :now and d.id not in (select unnest(:known::text[]))';
const DUE_IN = (lane: 0 | 1, order: '' | 'desc') => `(select ${FOUND} from webhook_deliveries d
          where ${LANE(lane, 'a.endpoint_id')} and ${IN_RANGE} and ${IS_DUE}
          order by d.next_attempt_at ${order} limit a.most)`;
const DUE_HEADS = (after: string, further: string) => `select ${FOUND} from (
          ${HEADS('a.endpoint_id', after, `${IN_RANGE} and w.ordering = 'per_subject' and ${further}`)}
          select * from head) d
        where ${IS_DUE}`;

/** Selects whether a delivery with a lower id is pending, in any partition. */
export const selectPendingBefore = defineStatement({
  params: { id: text },
  row: { found: boolean },
  text: `select exists (select from webhook_deliveries d
      where d.id < :id and d.state = 'pending' and least(d.attempts, 1) in (0, 1)) as found`,
  plan: 'once',
});

/**
 * Selects due deliveries of several endpoints, for each up to `most` of each kind: first attempts from both ends of the
 * backlog, so that new events do not wait behind the hundreds of events of a settlement, and retries. For an ordered
 * endpoint: of these only the unordered ones (pings, and deliveries scheduled before it was ordered), and the first of
 * each subject after `after`, then up to it. The limit makes the planner look up each event by its id: a resent event
 * may be from any month.
 */
export const selectDue = defineStatement({
  params: {
    endpointIds: arrayOf(text),
    most: arrayOf(bigint),
    after: arrayOf(text),
    /** Deliveries that are being sent or are about to be. */
    known: arrayOf(text),
    now: timestamptz,
    /** The id range that contains all due deliveries, so that Postgres opens only the partitions of those weeks. */
    from: text,
    to: text,
  },
  row: { ...DUE, place: bigint },
  text: `select a.place, f.id, f.attempts, f.next_attempt_at as "nextAttemptAt", f.created_at as "createdAt",
      f.trace_parent as "traceParent", f.subject as "inOrderOf", e.id as "eventId", e.type as "eventType",
      e.subject, e.body
    from unnest(:endpointIds::text[], :most::bigint[], :after::text[]) with ordinality
        as a (endpoint_id, most, after, place)
      join webhook_endpoints w on w.id = a.endpoint_id
      cross join lateral (
        select * from (
          ${DUE_IN(0, '')}
          union
          ${DUE_IN(0, 'desc')}
          union all
          ${DUE_IN(1, '')}) ends
        where w.ordering = 'none' or ends.subject is null
        union all
        (${DUE_HEADS('a.after', 'true')}
        union all
        ${DUE_HEADS(`''`, 'd.subject <= a.after')}
        limit a.most)) f
      cross join lateral (select * from events where id = f.event_id limit 1) e
    order by f.subject is not null, f.subject <= a.after, f.subject, f.next_attempt_at`,
  plan: 'once',
});

const FIRST_IN = (
  lane: 0 | 1,
  further: string,
) => `(select d.next_attempt_at from webhook_deliveries d
        where ${LANE(lane, ':endpointId')} ${further} order by d.next_attempt_at limit 1)`;

/** How many subjects are read to find the next due time; limited because the stream stays locked meanwhile. */
const SUBJECTS_TOLD = 1_000;

/**
 * Selects what is left to deliver to an endpoint, by its ordering. With ordering, a delivery is due no sooner than the
 * one before it. If there are too many subjects to read, the next delivery counts as due in five seconds. Without
 * ordering no subjects are searched, since the stream is locked meanwhile.
 */
export const selectLeft = variantsOf(['none', 'per_subject'], (ordering) => {
  const inOrder = ordering === 'per_subject';
  const further = inOrder ? 'and d.subject is null' : '';
  const firstOfHeads = `(select least(min(next_attempt_at),
            case when count(*) = ${SUBJECTS_TOLD} then :now::timestamptz + interval '5 seconds' end)
          from (select * from head limit ${SUBJECTS_TOLD}) heads),`;
  return defineStatement({
    params: { endpointId: text, now: timestamptz },
    row: {
      active: boolean,
      openUntil: nullable(timestamptz),
      /** When the next delivery is due; null if none is pending. */
      nextAt: nullable(timestamptz),
      /** How many are pending, up to a thousand. */
      waiting: integer,
    },
    text: `${inOrder ? HEADS(':endpointId', `''`, 'true') : ''}
    select w.active, w.open_until as "openUntil", least(
        ${inOrder ? firstOfHeads : ''}
        ${FIRST_IN(0, further)}, ${FIRST_IN(1, further)}) as "nextAt",
      (select count(*)::int from (select from webhook_deliveries d
        where ${LANE(0, ':endpointId')} or ${LANE(1, ':endpointId')} limit 1000) open) as waiting
    from webhook_endpoints w where w.id = :endpointId`,
    plan: 'once',
  });
});

/** Makes up to a thousand pending deliveries of an endpoint due now, and allows a probe of its breaker. */
export const updateTriedNow = defineStatement({
  params: { endpointId: text, now: timestamptz },
  text: `with probed as (
      update webhook_endpoints set open_until = :now where id = :endpointId and open_until > :now)
    update webhook_deliveries set next_attempt_at = :now where id in (
      select d.id from webhook_deliveries d
      where d.endpoint_id = :endpointId and d.state = 'pending' and least(d.attempts, 1) in (0, 1)
        and d.next_attempt_at > :now
      order by d.next_attempt_at limit 1000) and state = 'pending'`,
});

/** The health of an endpoint after attempts; not written if the partner has changed the endpoint meanwhile. */
export interface HealthRecord extends EndpointHealth {
  id: string;
  version: string;
}

/**
 * Records attempts in the log and in their deliveries, and the health of their endpoints. An attempt is recorded only
 * once, whichever process made it. For a delivery canceled meanwhile, records whether it arrived anyway.
 */
export const recordAttempts = defineStatement({
  params: {
    attempts: json<readonly AttemptRecord[]>(),
    /** The ids of the deliveries, so that Postgres looks up each in the partition of its week. */
    ids: arrayOf(text),
    health: json<readonly HealthRecord[]>(),
  },
  row: { id: text, state: textOf<DeliveryStatus>() },
  text: `with ended as materialized (
      select a.* from json_to_recordset(:attempts) as a (id text collate "C", attempt int, state text,
        "startedAt" timestamptz, "endedAt" timestamptz, "elapsedMs" int, status int, outcome text, detail text,
        "requestHeaders" jsonb, "responseHeaders" jsonb, "responseBody" text, "nextAttemptAt" timestamptz)),
    told as (
      update webhook_endpoints w set breaker = h.breaker, open_until = h."openUntil",
        failing_since = h."failingSince", last_success_at = h."lastSuccessAt",
        last_failure_at = h."lastFailureAt", concurrency = h.concurrency
      from json_to_recordset(:health) as h (id text collate "C", version text, breaker jsonb,
        "openUntil" timestamptz, "failingSince" timestamptz, "lastSuccessAt" timestamptz,
        "lastFailureAt" timestamptz, concurrency double precision)
      where w.id = h.id and w.updated_at::text = h.version
      returning w.id),
    moved as (
      update webhook_deliveries d set attempts = a.attempt,
        state = case when d.state = 'pending' or a.state = 'delivered' then a.state else d.state end,
        next_attempt_at = coalesce(a."nextAttemptAt", d.next_attempt_at),
        finished_at = case when d.state <> 'pending' or a.state <> 'pending' then a."endedAt" end
      -- First what is counted: endpoints are locked before their deliveries, as by whoever changes one.
      from ended a, (select count(*) from told) told
      where d.id = any(:ids::text[]) and d.id = a.id and d.attempts = a.attempt - 1
        and ${opaque(`d.state in ('pending', 'cancelled')`)}
      returning d.id, d.state),
    logged as (
      insert into webhook_attempts (delivery_id, attempt, started_at, elapsed_ms, status, outcome, detail,
        request_headers, response_headers, response_body, next_attempt_at)
      select a.id, a.attempt, a."startedAt", a."elapsedMs", a.status, a.outcome, a.detail,
        a."requestHeaders", a."responseHeaders", a."responseBody", a."nextAttemptAt"
      from ended a join moved using (id))
    select id, state from moved`,
  plan: 'once',
});

/** Disables an endpoint because of its failures; no row if its partner has changed it meanwhile. */
export const updateDisabled = defineStatement({
  params: {
    endpointId: text,
    version: text,
    reason: textOf<'gone' | 'failing'>(),
    now: timestamptz,
  },
  text: `update webhook_endpoints set active = false, disabled_reason = :reason, updated_at = :now
    where id = :endpointId and active and updated_at::text = :version`,
});
