import type { Environment } from '../../platform/config/config.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  bigint,
  integer,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';

/** The health class of an endpoint; a `disabled` one no longer gets events. Removed endpoints have no class. */
type EndpointClass = 'healthy' | 'failing' | 'disabled';

const BACKLOG = {
  class: textOf<EndpointClass>(),
  endpoints: integer,
  /**
   * Due deliveries, including those being sent; at most a thousand first attempts and a thousand retries are counted
   * per endpoint.
   */
  due: integer,
  oldestDue: nullable(timestamptz),
};
/** The due deliveries of all endpoints in a class. */
export type DeliveryBacklog = RowOf<typeof BACKLOG>;

/**
 * Selects the health of every endpoint and its due deliveries. A loose index scan finds the endpoints with due
 * deliveries, so the cost does not grow with the number of pending or past deliveries.
 */
export const selectDeliveryBacklog = defineStatement({
  params: { now: timestamptz },
  row: BACKLOG,
  text: `with recursive waiting (lane, endpoint_id, earliest) as (
      (select least(attempts, 1), endpoint_id, next_attempt_at from webhook_deliveries
       where state = 'pending'
       order by least(attempts, 1), endpoint_id, next_attempt_at limit 1)
      union all
      select next.* from waiting w cross join lateral (
        select least(d.attempts, 1), d.endpoint_id, d.next_attempt_at from webhook_deliveries d
        where d.state = 'pending' and (least(d.attempts, 1), d.endpoint_id) > (w.lane, w.endpoint_id)
        order by least(d.attempts, 1), d.endpoint_id, d.next_attempt_at limit 1) next),
    held as (
      select w.endpoint_id, sum(lane.due) as due, min(w.earliest) as oldest
      from waiting w cross join lateral (
        select count(*) as due from (
          select 1 from webhook_deliveries d
          where d.endpoint_id = w.endpoint_id and d.state = 'pending' and least(d.attempts, 1) = w.lane
            and d.next_attempt_at <= :now
          limit 1000) d) lane
      where w.earliest <= :now group by w.endpoint_id)
    select c.class, count(w.id)::int as endpoints, coalesce(sum(held.due), 0)::int as due,
      min(held.oldest) as "oldestDue"
    from (values ('healthy'), ('failing'), ('disabled')) as c (class)
    left join webhook_endpoints w on w.disabled_reason is distinct from 'removed' and c.class =
      case when not w.active then 'disabled'
           when w.failing_since is not null or w.open_until is not null
             -- What waits behind a retry of its subject is not the marketplace's to hurry.
             or w.ordering = 'per_subject' and exists (
               select from webhook_deliveries d
               where d.endpoint_id = w.id and d.state = 'pending' and least(d.attempts, 1) = 1) then 'failing'
           else 'healthy' end
    left join held on held.endpoint_id = w.id and w.active
    group by c.class`,
});

/** Selects active endpoints with pending deliveries and no job, by a loose index scan. */
export const selectForgotten = defineStatement({
  params: { key: text, now: timestamptz, limit: bigint },
  row: { endpointId: text, partnerId: text, environment: textOf<Environment>() },
  text: `with recursive waiting (lane, endpoint_id) as (
      (select least(attempts, 1), endpoint_id from webhook_deliveries where state = 'pending'
       order by least(attempts, 1), endpoint_id limit 1)
      union all
      select next.* from waiting w cross join lateral (
        select least(d.attempts, 1), d.endpoint_id from webhook_deliveries d
        where d.state = 'pending' and (least(d.attempts, 1), d.endpoint_id) > (w.lane, w.endpoint_id)
        order by least(d.attempts, 1), d.endpoint_id limit 1) next)
    select w.id as "endpointId", w.partner_id as "partnerId", w.environment from webhook_endpoints w
    where w.id in (select endpoint_id from waiting)
      and w.active and not exists (select from job_keys k join outbox o on o.id = k.job_id and o.state <> 'done'
        -- One that was given up is for people to look at, for an hour.
        and (o.state <> 'dead' or o.run_at > :now::timestamptz - interval '1 hour')
        where k.dedupe_key = :key || w.id) limit :limit`,
});
