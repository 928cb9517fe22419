import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  integer,
  type ParamsOf,
  text,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { ClaimedDelivery } from './delivery.ts';

const CLAIM_RULES = {
  now: timestamptz,
  leaseUntil: timestamptz,
  limit: bigint,
  /** Deliveries under way to one endpoint at most. */
  cap: integer,
  /** Percent of an endpoint's turns that retries get while first attempts wait as well. */
  retryShare: integer,
  /** Whether first attempts are taken from the newest on, or from the oldest on; from both ends in turn. */
  newestFirst: boolean,
  /** Retries and deliveries to failing endpoints that are under way at most, over all endpoints. */
  doubtfulSlots: integer,
};

const CLAIM = { id: text, epoch: integer };
const CLAIMS = { ids: arrayOf(text), epochs: arrayOf(integer) };

/**
 * The fair claim, one statement. Read from the top: the endpoints with something pending, found by
 * jumping from one index entry to the next; those that may get something now (one delivery at a time
 * while they fail); the next deliveries of each, first attempts and retries taking turns by weight; and
 * the choice, every endpoint's first before anybody's second. First attempts are taken from both ends of an
 * endpoint's backlog in turn, so that what happens now does not wait for the hundreds of events of a settlement,
 * and those get on all the same. What may well fail again (retries, and all
 * that goes to a failing endpoint) gets a bounded share of the slots, so that no number of dead endpoints
 * takes the others' room.
 *
 * Several claims may run at once. All counts come from rows, so the choice holds only while nobody else
 * claims for the same endpoint: each claim moves `last_claimed_at`, and a choice made before that move
 * finds it changed when it takes the endpoint's lock, and drops the endpoint. So the cap is never exceeded.
 */
export const updateClaimed = defineStatement({
  params: CLAIM_RULES,
  row: CLAIM,
  text: `with recursive waiting (lane, endpoint_id) as (
      (select least(attempts, 1), endpoint_id from webhook_deliveries
       where state = 'pending' order by least(attempts, 1), endpoint_id limit 1)
      union all
      select next.lane, next.endpoint_id from waiting w cross join lateral (
        select least(d.attempts, 1) as lane, d.endpoint_id from webhook_deliveries d
        where d.state = 'pending' and (least(d.attempts, 1), d.endpoint_id) > (w.lane, w.endpoint_id)
        order by least(d.attempts, 1), d.endpoint_id limit 1) next),
    candidate as materialized (
      select w.id, w.last_claimed_at, failing, case when failing then 1 else :cap::int end as cap
      from webhook_endpoints w
      cross join lateral (select w.open_until is not null or w.failing_since is not null as failing) health
      where w.id in (select endpoint_id from waiting)
        and w.active and (w.open_until is null or w.open_until <= :now)),
    turn as (
      select c.id as endpoint_id, c.last_claimed_at, due.id, due.place, c.failing or due.lane = 1 as doubtful
      from candidate c
      cross join lateral (
        select count(*) filter (where attempts = 0) as firsts, count(*) filter (where attempts > 0) as retries
        from webhook_deliveries where endpoint_id = c.id and state = 'dispatched') busy
      cross join lateral (
        select id, lane, row_number() over (order by weight, lane) as place from (
          (select id, 0 as lane,
             (busy.firsts + row_number() over (order by min(nth))) / greatest(100.0 - :retryShare::int, 1) as weight
           from (
             (select id, 2 * row_number() over (order by next_attempt_at) - (not :newestFirst::boolean)::int as nth
              from webhook_deliveries
              where state = 'pending' and least(attempts, 1) = 0 and endpoint_id = c.id and next_attempt_at <= :now
              order by next_attempt_at limit c.cap)
             union all
             (select id, 2 * row_number() over (order by next_attempt_at desc) - (:newestFirst::boolean)::int
              from webhook_deliveries
              where state = 'pending' and least(attempts, 1) = 0 and endpoint_id = c.id and next_attempt_at <= :now
              order by next_attempt_at desc limit c.cap)) both_ends
           group by id order by min(nth) limit c.cap)
          union all
          (select id, 1,
             (busy.retries + row_number() over (order by next_attempt_at)) / :retryShare::int::numeric
           from webhook_deliveries
           where state = 'pending' and least(attempts, 1) = 1 and endpoint_id = c.id and next_attempt_at <= :now
           order by next_attempt_at limit c.cap)) lanes
        order by weight, lane limit greatest(c.cap - busy.firsts - busy.retries, 0)) due),
    chosen as materialized (
      select endpoint_id, last_claimed_at, id from (
        select turn.*, row_number() over (partition by doubtful order by place, last_claimed_at nulls first) as nth
        from turn) ranked
      where not doubtful or nth <= :doubtfulSlots::int - (
        select count(*) from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
        where d.state = 'dispatched'
          and (d.attempts > 0 or w.failing_since is not null or w.open_until is not null))
      order by place, last_claimed_at nulls first limit :limit),
    locked as (
      select w.id from webhook_endpoints w
      join (select distinct endpoint_id, last_claimed_at from chosen) c on c.endpoint_id = w.id
      where w.active and w.last_claimed_at is not distinct from c.last_claimed_at
      for no key update of w skip locked),
    stamped as (
      update webhook_endpoints w
      set last_claimed_at = greatest(:now, w.last_claimed_at + interval '1 microsecond')
      from locked where w.id = locked.id returning w.id)
    update webhook_deliveries d
    set state = 'dispatched', epoch = d.epoch + 1, lease_until = :leaseUntil, without_job = false
    from chosen join stamped on stamped.id = chosen.endpoint_id
    where d.id = chosen.id and d.state = 'pending'
    returning d.id, d.epoch`,
});

/** Due deliveries that {@link selectIsAnyDue} looks at before it leaves the question to the claim. */
const LOOKED_AT = 1_000;

/**
 * Whether the claim may find something: false when none of the earliest due deliveries is for an endpoint that
 * may get it now. It reads them in the order of an index, so that it costs next to nothing when nothing is
 * due, however many endpoints there are and however much waits for its time. What is due behind a thousand
 * deliveries for endpoints that get nothing now is not looked for here: then it is true.
 */
export const selectIsAnyDue = defineStatement({
  params: { now: timestamptz },
  row: { due: boolean },
  text: `with due as materialized (
      select endpoint_id from webhook_deliveries
      where state = 'pending' and next_attempt_at <= :now
      order by next_attempt_at limit ${LOOKED_AT})
    select (select count(*) from due) = ${LOOKED_AT} or exists (
      select 1 from (select distinct endpoint_id from due) d join webhook_endpoints w on w.id = d.endpoint_id
      where w.active and (w.open_until is null or w.open_until <= :now)) as due`,
});

/** Puts claims that nobody will work on back, to be taken again at once. */
export const updateReleased = defineStatement({
  params: CLAIMS,
  text: `update webhook_deliveries d set state = 'pending', lease_until = null
    from unnest(:ids::text[], :epochs::integer[]) as c (id, epoch)
    where d.id = c.id and d.epoch = c.epoch and d.state = 'dispatched'`,
});

/** Dispatches past their lease, or all that went through the queue as well; by id, after `afterId`. */
export const selectDispatched = defineStatement({
  params: { now: timestamptz, everything: boolean, afterId: text, limit: bigint },
  row: CLAIM,
  text: `select id, epoch from webhook_deliveries
    where state = 'dispatched' and id > :afterId
      and (lease_until <= :now or (:everything and not without_job))
    order by id limit :limit`,
});

/** Keeps dispatches whose job still waits for a worker. */
export const updateLeases = defineStatement({
  params: { ...CLAIMS, leaseUntil: timestamptz },
  text: `update webhook_deliveries d set lease_until = :leaseUntil
    from unnest(:ids::text[], :epochs::integer[]) as c (id, epoch)
    where d.id = c.id and d.epoch = c.epoch and d.state = 'dispatched'`,
});

/** Cancels what was scheduled while its endpoint went out of service. */
export const updateUndeliverableCancelled = defineStatement({
  params: { now: timestamptz },
  text: `update webhook_deliveries d set state = 'cancelled', finished_at = :now
    from webhook_endpoints w
    where not w.active and d.endpoint_id = w.id and d.state = 'pending' and least(d.attempts, 1) in (0, 1)`,
});

/** Deletes up to `limit` finished deliveries with their attempts. */
export const deleteFinished = defineStatement({
  params: { before: timestamptz, limit: bigint },
  row: { event_id: text },
  text: `delete from webhook_deliveries where id in (
      select id from webhook_deliveries
      where created_at < :before and finished_at < :before
        and state in ('delivered', 'exhausted', 'cancelled') limit :limit)
    returning event_id`,
});

/** Puts claims that nobody will work on back, to be taken again at once. */
export async function release(sql: Sql, claims: readonly ClaimedDelivery[]): Promise<void> {
  await updateReleased.run(sql, toClaims(claims));
}

/** Keeps dispatches whose job still waits for a worker. */
export async function extendLeases(
  sql: Sql,
  claims: readonly ClaimedDelivery[],
  leaseUntil: Date,
): Promise<void> {
  await updateLeases.run(sql, { ...toClaims(claims), leaseUntil });
}

function toClaims(claims: readonly ClaimedDelivery[]): ParamsOf<typeof CLAIMS> {
  return { ids: claims.map((claim) => claim.id), epochs: claims.map((claim) => claim.epoch) };
}
