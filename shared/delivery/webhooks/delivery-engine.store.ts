import type { Environment } from '../../platform/config/config.ts';
import { defineStatement, opaque, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  boolean,
  bytea,
  double,
  integer,
  json,
  nullable,
  outerJoined,
  present,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { AttemptRecord } from './attempt.ts';
import type { DeliveryState } from './delivery.ts';

// Those that run many times a second are planned once, for the connections of `Postgres.indexed`: to plan them takes
// longer than to run them, and a plan that read all of a table would be kept when that is no longer small.

/** Due deliveries that a claim looks at before it looks at every endpoint with something pending. */
const LOOKED_AT = 500;

/** Least number of deliveries of one endpoint that a claim considers, half from each end; more with few endpoints. */
const PER_ENDPOINT = 4;

/** Subjects of an endpoint in order that a claim looks at from each of two places. */
const SUBJECTS_LOOKED_AT = 64;

/** What is due of an endpoint: first attempts in lane 0, retries in lane 1. */
const DUE = (
  lane: 0 | 1,
) => `d.state = 'pending' and least(d.attempts, 1) = ${lane} and d.endpoint_id = c.id
  and d.next_attempt_at <= :now and d.id >= :since`;

/** The first open delivery of the next subject of the endpoint `c`, from a subject on. */
const HEAD = (from: string) => `(select d.id, d.subject, d.state, d.attempts, d.next_attempt_at
  from webhook_deliveries d
  where d.endpoint_id = c.id and d.subject ${from} and d.state in ('pending', 'dispatched') and d.id >= :since
  order by d.subject, d.position limit 1)`;

/**
 * An id before which no delivery is open: all of an older week is left out before a statement looks for what is. A week
 * with an open delivery, or of the last day, is not older; nothing is, while one is open that has no week.
 */
export const selectOpenSince = defineStatement({
  params: { recent: text },
  row: { since: text },
  text: `select coalesce(min(week.lower collate "C"), '') as since from (
      select lower from range_partitions('webhook_deliveries') w
      where w.upper collate "C" > :recent
        or exists (select from webhook_deliveries d where d.state = 'pending' and least(d.attempts, 1) in (0, 1)
          and d.id >= w.lower and d.id < w.upper)
        or exists (select from webhook_deliveries d where d.state = 'dispatched'
          and d.id >= w.lower and d.id < w.upper)
      union all
      select '' where exists (select from webhook_deliveries_default d where d.state = 'pending'
          and least(d.attempts, 1) in (0, 1))
        or exists (select from webhook_deliveries_default d where d.state = 'dispatched')) week`,
  plan: 'once',
});

const IS_OPEN = opaque(`d.state in ('dispatched', 'pending')`);

const CLAIMED = {
  id: text,
  epoch: integer,
  attempts: integer,
  /** When its event was. */
  createdAt: timestamptz,
  /** W3C traceparent of what made the event. */
  traceParent: nullable(text),
  endpointId: text,
  url: text,
  environment: textOf<Environment>(),
  secret: bytea,
  previousSecret: nullable(bytea),
  /** The endpoint's own headers. */
  headers: nullable(bytea),
  payload: textOf<'full' | 'thin'>(),
  /** Whether its last attempt failed, or its breaker has not closed. */
  failing: boolean,
  /** Since when every attempt of its endpoint failed. */
  failingSince: nullable(timestamptz),
  /** Whether as many are under way to the endpoint as may be. */
  saturated: boolean,
  /** Whether a later delivery of its subject waits for it. */
  ordered: boolean,
  /** Whether the endpoint gets no more than so many a second. */
  rateLimited: boolean,
  eventId: text,
  eventType: text,
  subject: text,
  body: text,
};
/** A delivery that a worker holds, with everything that its attempt needs. */
export type ClaimedDelivery = RowOf<typeof CLAIMED>;

/**
 * The fair claim. Read from the top: the endpoints with something due, found by the earliest due deliveries, and
 * beyond those by jumping from one index entry to the next; those that may get something now, with how many; the
 * next deliveries of each, first attempts and retries taking turns by weight; and the choice, every endpoint's
 * first before anybody's second. First attempts are taken from both ends of an endpoint's backlog in turn, so that
 * what happens now does not wait for the hundreds of events of a settlement, and those get on all the same.
 *
 * An endpoint in order gets the first open delivery of a subject, whose retries are first by nature. Subjects are found
 * by jumping from one to the next, in the order of their ids and from a moment of the backlog on that changes with
 * each claim, so that neither what waits behind them nor those that wait for a retry make a claim slow.
 *
 * An endpoint gets one delivery at a time while it fails or its breaker is half-open, none while it is open, no
 * more than its concurrency and its rate allow otherwise. What may well fail again (retries, and all that goes to a
 * failing endpoint) gets a bounded share of the slots, so that no number of dead endpoints takes the others' room.
 *
 * Several claims may run at once. All counts come from rows, so the choice holds only while nobody else claims for
 * the same endpoint: each claim moves `last_claimed_at`, and a choice made before that move finds it changed when
 * it takes the endpoint's lock, and drops the endpoint. `missed` counts what was dropped so.
 */
export const updateClaimed = defineStatement({
  params: {
    now: timestamptz,
    workerId: text,
    /** See {@link selectOpenSince}. */
    since: text,
    /** Events before this id are left out: what is sent again may be about one of any month. */
    eventsSince: text,
    limit: integer,
    /** Deliveries under way to one endpoint at most. */
    cap: integer,
    /** Percent of an endpoint's turns that retries get while first attempts wait as well. */
    retryShare: integer,
    /** Whether the first is taken from the newest end, or from the oldest. */
    newestFirst: boolean,
    /** Where in the time that an endpoint in order has to catch up on its subjects are looked at, too: 0 to 1. */
    somewhere: double,
    /** Retries and deliveries to failing endpoints that are under way at most, over all endpoints. */
    doubtfulSlots: integer,
  },
  row: { ...outerJoined(CLAIMED), missed: integer },
  text: `with recursive early as materialized (
      select endpoint_id from webhook_deliveries
      where ${opaque(`state = 'pending'`)} and next_attempt_at <= :now and id >= :since order by next_attempt_at limit ${LOOKED_AT}),
    waiting (lane, endpoint_id) as (
      (select least(attempts, 1), endpoint_id from webhook_deliveries
       where state = 'pending' and id >= :since and (select count(*) from early) = ${LOOKED_AT}
       order by least(attempts, 1), endpoint_id limit 1)
      union all
      select next.lane, next.endpoint_id from waiting w cross join lateral (
        select least(d.attempts, 1) as lane, d.endpoint_id from webhook_deliveries d
        where d.state = 'pending' and d.id >= :since and (least(d.attempts, 1), d.endpoint_id) > (w.lane, w.endpoint_id)
        order by least(d.attempts, 1), d.endpoint_id limit 1) next),
    candidate as materialized (
      select w.id, w.last_claimed_at, w.ordering = 'per_subject' as ordered, failing, busy.firsts, busy.retries, rate.used_until, rate.each, room,
        greatest(${PER_ENDPOINT}, 2 * :limit::int / count(*) over ()) as share
      from webhook_endpoints w
      cross join lateral (select w.open_until is not null or w.failing_since is not null as failing) health
      cross join lateral (
        select count(*) filter (where attempts = 0) as firsts, count(*) filter (where attempts > 0) as retries
        from webhook_deliveries where endpoint_id = w.id and state = 'dispatched' and id >= :since) busy
      -- At most a tenth of a second's worth at once, so that a second never sees much more than its number.
      cross join lateral (
        select interval '1 second' / w.max_per_second as each, greatest(w.rate_used_until,
          :now::timestamptz - greatest(interval '1 second' / w.max_per_second, interval '100 milliseconds')) as used_until) rate
      cross join lateral (
        select least(case when failing then 1 else least(floor(w.concurrency), :cap::int) end
            - busy.firsts - busy.retries,
          floor(extract(epoch from :now::timestamptz - rate.used_until) * w.max_per_second + 0.001))::int as room) free
      where w.id in (select endpoint_id from early union select endpoint_id from waiting)
        and w.active and (w.open_until is null or w.open_until <= :now) and room > 0),
    turn as (
      select c.id as endpoint_id, due.id, due.place, c.failing or due.lane = 1 as doubtful
      from candidate c
      cross join lateral (
        select id, lane, row_number() over (order by weight, lane) as place from (
          (select id, 0 as lane,
             (c.firsts + row_number() over (order by min(nth))) / greatest(100.0 - :retryShare::int, 1) as weight
           from (
             (select d.id, 2 * row_number() over (order by d.next_attempt_at) - (not :newestFirst::boolean)::int as nth
              from webhook_deliveries d where not c.ordered and ${DUE(0)}
              order by d.next_attempt_at limit least(c.room, c.share / 2))
             union all
             (select d.id, 2 * row_number() over (order by d.next_attempt_at desc) - (:newestFirst::boolean)::int
              from webhook_deliveries d where not c.ordered and ${DUE(0)}
              order by d.next_attempt_at desc limit least(c.room, c.share / 2))
             union all
             (select id, row_number() over () from (
               with recursive head as (
                 select next.*, 1 as place from (values
                   (''),
                   ((select d.subject from webhook_deliveries d where ${DUE(0)} and d.next_attempt_at >= (
                       select d.next_attempt_at + (:now::timestamptz - d.next_attempt_at) * :somewhere::double precision
                       from webhook_deliveries d where ${DUE(0)} order by d.next_attempt_at limit 1)
                     order by d.next_attempt_at limit 1))) as place (subject)
                 cross join lateral ${HEAD('>= place.subject')} next
                 where c.ordered
                 union all
                 select next.*, head.place + 1 from head cross join lateral ${HEAD('> head.subject')} next
                 where head.place < ${SUBJECTS_LOOKED_AT})
               select id from head where state = 'pending' and attempts = 0 and next_attempt_at <= :now
               limit c.room) first_of_subject)
             union all
             -- Those of the time before it kept an order are the oldest.
             (select id, nth from (
               select d.id, d.subject, row_number() over (order by d.next_attempt_at) as nth
               from webhook_deliveries d where c.ordered and ${DUE(0)}
               order by d.next_attempt_at limit ${SUBJECTS_LOOKED_AT}) oldest
              where subject is null limit c.room)
           ) both_ends
           group by id order by min(nth) limit c.room)
          union all
          (select d.id, 1, (c.retries + row_number() over (order by d.next_attempt_at)) / :retryShare::int::numeric
           from webhook_deliveries d where ${DUE(1)}
           order by d.next_attempt_at limit least(c.room, c.share))) lanes
        order by weight, lane limit c.room) due),
    chosen as materialized (
      select endpoint_id, id from (
        select turn.*, c.last_claimed_at,
          row_number() over (partition by doubtful order by place, c.last_claimed_at nulls first) as nth
        from turn join candidate c on c.id = turn.endpoint_id) ranked
      where not doubtful or nth <= :doubtfulSlots::int - (
        select count(*) from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
        where d.state = 'dispatched' and d.id >= :since
          and (d.attempts > 0 or w.failing_since is not null or w.open_until is not null))
      order by place, last_claimed_at nulls first limit :limit::int),
    served as (
      select c.*, taken.count, taken.count >= c.room as saturated
      from candidate c join (select endpoint_id, count(*) from chosen group by endpoint_id) taken
        on taken.endpoint_id = c.id),
    locked as (
      select w.id from webhook_endpoints w join served on served.id = w.id
      where w.active and w.last_claimed_at is not distinct from served.last_claimed_at
      for no key update of w skip locked),
    stamped as (
      update webhook_endpoints w
      set last_claimed_at = greatest(:now, w.last_claimed_at + interval '1 microsecond'),
        rate_used_until = served.used_until + served.count * served.each
      from locked join served using (id) where w.id = locked.id returning w.id),
    claimed as (
      update webhook_deliveries d
      set state = 'dispatched', epoch = d.epoch + 1, worker_id = :workerId, lease_until = null, without_job = true
      from chosen join stamped on stamped.id = chosen.endpoint_id
      where d.id = chosen.id and d.id >= :since and ${opaque(`d.state = 'pending'`)}
      returning d.id, d.epoch, d.attempts, d.created_at, d.trace_parent, d.endpoint_id, d.event_id, d.subject),
    ready as (
      select d.id, d.epoch, d.attempts, d.created_at as "createdAt", d.trace_parent as "traceParent",
        w.id as "endpointId", w.url, w.environment, w.secret_ciphertext as secret,
        case when w.previous_secret_until > :now then w.previous_secret_ciphertext end as "previousSecret",
        w.headers_ciphertext as headers, w.payload, served.failing, w.failing_since as "failingSince", served.saturated,
        d.subject is not null as ordered, w.max_per_second is not null as "rateLimited", d.event_id as "eventId",
        e.type as "eventType", e.subject, e.body
      from claimed d join webhook_endpoints w on w.id = d.endpoint_id join served on served.id = w.id
      left join events e on e.id = d.event_id and e.id >= :eventsSince)
    select ready.*, (select count(*)::int from served) - (select count(*)::int from stamped) as missed
    from (select 1) always left join ready on true`,
  plan: 'once',
});

/** What is sent of these events. */
export const selectEvents = defineStatement({
  params: { ids: arrayOf(text) },
  row: { eventId: text, eventType: text, subject: nullable(text), body: text },
  text: `select id as "eventId", type as "eventType", subject, body from events where id = any(:ids::text[])`,
});

/**
 * Records attempts: each in the log, its delivery, and what they say together about their endpoints. An attempt is
 * recorded once, by whoever claimed last: a delivery that was taken back meanwhile (`pending`) but not claimed anew
 * still takes its outcome. Returns the deliveries recorded.
 *
 * An endpoint's row is written only when there is news for it; a success is noted once a second. Its breaker is
 * closed, open (until `open_until`) or half-open (after that, until the probe ended). What an address said that
 * was replaced meanwhile is nothing against the new one.
 *
 * `planned` is for the connections of `Postgres.indexed`, `inTransaction` for others.
 */
export const recordAttempts = variantsOf(['planned', 'inTransaction'], (variant) =>
  defineStatement({
    params: {
      attempts: json<readonly AttemptRecord[]>(),
      now: timestamptz,
      /** Deliveries under way to one endpoint at most. */
      cap: integer,
      /** Nothing but failures since then disables an endpoint. */
      disableBefore: timestamptz,
      breakerWindowMs: integer,
      breakerMinAttempts: integer,
      /** Opens at this share of failures, 0 to 1. */
      breakerFailureShare: double,
      /** The first opening; each further one is twice as long. */
      breakerOpenMs: integer,
      breakerMaxOpenMs: integer,
    },
    row: { id: text, state: textOf<DeliveryState>() },
    text: `with ended as materialized (
      select a.* from json_to_recordset(:attempts) as a (
        id text collate "C", epoch int, "endpointId" text collate "C", url text, attempt int, state text, "startedAt" timestamptz,
        "elapsedMs" int, status int, outcome text, detail text, "requestHeaders" jsonb, "responseHeaders" jsonb,
        "responseBody" text, "nextAttemptAt" timestamptz, "endedAt" timestamptz, overloaded boolean, gone boolean,
        grows boolean)),
    said as (
      select a."endpointId" as id, count(*) filter (where a.outcome = 'delivered') as successes,
        count(*) filter (where a.outcome <> 'delivered') as failures,
        (array_agg(a.outcome order by a."endedAt" desc))[1] = 'delivered' as ends_well,
        max(a."startedAt") filter (where a.overloaded) as overloaded_at,
        bool_or(a.gone) as gone, count(*) filter (where a.grows) as grows
      from ended a
      join webhook_deliveries d on d.id = a.id and d.epoch = a.epoch and d.attempts = a.attempt - 1
        and ${IS_OPEN}
      join webhook_endpoints w on w.id = a."endpointId" and w.url = a.url
      group by a."endpointId"),
    -- In one order, so that two recordings never wait for each other.
    locked as (
      select w.id from webhook_endpoints w join said using (id)
      where failures > 0 or w.failing_since is not null or w.open_until is not null
        or (w.breaker->>'failures')::int > 0 or (grows > 0 and w.concurrency < :cap::int)
        or w.last_success_at is null or w.last_success_at < :now::timestamptz - interval '1 second'
      order by w.id for no key update of w),
    judged as (
      update webhook_endpoints w set
        (breaker, open_until) = (
          select
            case when closes then null else jsonb_build_object('windowStartedAt', window_started,
              'attempts', attempts, 'failures', failures, 'trips', trips + trip::int) end,
            case when closes then null when trip then :now::timestamptz + least(
                power(2, trips) * :breakerOpenMs::int, :breakerMaxOpenMs::int) * interval '1 millisecond'
              else w.open_until end
          from (select coalesce((w.breaker->>'trips')::int, 0) as trips, w.breaker is null
              or (w.breaker->>'windowStartedAt')::timestamptz
                <= :now::timestamptz - :breakerWindowMs::int * interval '1 millisecond' as expired) past
          cross join lateral (select
            case when expired then :now else (w.breaker->>'windowStartedAt')::timestamptz end as window_started,
            case when expired then 0 else (w.breaker->>'attempts')::int end
              + said.successes + said.failures as attempts,
            case when expired then 0 else (w.breaker->>'failures')::int end + said.failures as failures) counted
          cross join lateral (select
            w.open_until is not null and said.successes > 0 as closes,
            said.failures > 0 and case
              when w.open_until is null then attempts >= :breakerMinAttempts::int
                and failures >= attempts * :breakerFailureShare::double precision
              -- An attempt that was under way when it opened says nothing new.
              else w.open_until <= :now end as trip) verdict),
        failing_since = case when ends_well then null when successes > 0 then :now
          else coalesce(w.failing_since, :now) end,
        last_success_at = case when successes > 0 then :now else w.last_success_at end,
        last_failure_at = case when failures > 0 then :now else w.last_failure_at end,
        -- Attempts that were under way at the last halving don't halve again.
        concurrency = case
          when overloaded_at >= w.last_failure_at or overloaded_at is not null and w.last_failure_at is null
            then greatest(1, w.concurrency / 2)
          when overloaded_at is null then least(w.concurrency + grows / w.concurrency, :cap::int)
          else w.concurrency end,
        (active, disabled_reason, updated_at) = (
          select w.active and reason is null, coalesce(w.disabled_reason, reason),
            case when w.active and reason is not null then :now else w.updated_at end
          from (select case when gone then 'gone'
            when successes = 0 and w.failing_since <= :disableBefore then 'failing' end as reason) disabling)
      from locked join said using (id) where w.id = locked.id
      returning w.id, w.active, failures),
    moved as (
      update webhook_deliveries d set
        state = case when a.outcome = 'delivered' or coalesce(judged.active, w.active) then a.state
          else 'cancelled' end,
        attempts = a.attempt, worker_id = null, next_attempt_at = coalesce(a."nextAttemptAt", d.next_attempt_at),
        finished_at = case when a.state = 'pending' and coalesce(judged.active, w.active) then null
          else a."endedAt" end
      from ended a join webhook_endpoints w on w.id = a."endpointId" left join judged on judged.id = w.id
      where d.id = a.id and d.epoch = a.epoch and d.attempts = a.attempt - 1
        and ${IS_OPEN}
      returning d.id, d.state),
    logged as (
      insert into webhook_attempts (delivery_id, attempt, started_at, elapsed_ms, status, outcome, detail,
        request_headers, response_headers, response_body, response_excerpt, next_attempt_at)
      select a.id, a.attempt, a."startedAt", a."elapsedMs", a.status, a.outcome, a.detail,
        a."requestHeaders", a."responseHeaders", a."responseBody", left(a."responseBody", 1000), a."nextAttemptAt"
      from ended a join moved using (id)),
    cancelled as (
      update webhook_deliveries d set state = 'cancelled', finished_at = :now
      -- As an array it is known before the first row is read: joined, all that waits anywhere would be.
      where d.endpoint_id = any(array(select id from judged where not active and failures > 0))
        and d.state = 'pending' and least(d.attempts, 1) in (0, 1) and d.id not in (select id from ended))
    select id, state from moved`,
    ...(variant === 'planned' && { plan: 'once' }),
  }),
);

/** Those of the endpoints that their failures disabled at a moment. */
export const selectDisabled = defineStatement({
  params: { ids: arrayOf(text), at: timestamptz },
  row: {
    id: text,
    partnerId: text,
    environment: textOf<Environment>(),
    name: text,
    url: text,
    reason: present(textOf<'gone' | 'failing'>(), 'one that is not active has a reason'),
  },
  text: `select id, partner_id as "partnerId", environment, name, url, disabled_reason as reason
    from webhook_endpoints
    where id = any(:ids::text[]) and not active and disabled_reason <> 'removed' and updated_at = :at`,
});

/**
 * A worker says that it is alive, and takes nothing for its own that it does not hold: what a claim took whose
 * answer was lost is due again. With `evicts`, so is everything of workers that were not heard of for too long. The
 * clock is the database's.
 */
export const upsertHeartbeat = defineStatement({
  params: {
    workerId: text,
    held: arrayOf(text),
    evicts: boolean,
    deadAfterMs: integer,
    since: text,
  },
  row: { takenBack: integer },
  text: `with beat as (
      insert into webhook_workers (id, heartbeat_at) values (:workerId, now())
      on conflict (id) do update set heartbeat_at = now()),
    alive as materialized (
      select id from webhook_workers where heartbeat_at > now() - :deadAfterMs::int * interval '1 millisecond'),
    gone as (
      delete from webhook_workers where :evicts::boolean and id <> :workerId and id not in (select id from alive)),
    taken as (
      update webhook_deliveries d set state = 'pending', worker_id = null
      where d.state = 'dispatched' and d.id >= :since and case
        when d.worker_id = :workerId then d.id <> all(:held::text[])
        -- Without a worker it is of a worker of the release before.
        else :evicts::boolean and coalesce(d.lease_until <= now(), true)
          and not exists (select 1 from alive where alive.id = d.worker_id) end
      returning d.id)
    select count(*)::int as "takenBack" from taken`,
  plan: 'once',
});

/** A worker that stops is no longer there; what it holds still is due again. */
export const deleteWorker = defineStatement({
  params: { workerId: text },
  text: `with gone as (delete from webhook_workers where id = :workerId)
    update webhook_deliveries set state = 'pending', worker_id = null
    where state = 'dispatched' and worker_id = :workerId`,
});

/** Cancels what was scheduled while its endpoint went out of service. */
export const updateUndeliverableCancelled = defineStatement({
  params: { now: timestamptz },
  text: `update webhook_deliveries d set state = 'cancelled', finished_at = :now
    from webhook_endpoints w
    where not w.active and d.endpoint_id = w.id and d.state = 'pending' and least(d.attempts, 1) in (0, 1)`,
});
