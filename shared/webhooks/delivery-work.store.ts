import type { Sql } from '../platform/db.ts';

/** How an endpoint fares; `disabled` gets nothing any more. Removed ones are in none. */
export type EndpointClass = 'healthy' | 'failing' | 'disabled';

export interface DeliveryWork {
  class: EndpointClass;
  endpoints: number;
  /** Due and not under way; of an endpoint, a thousand first attempts and a thousand retries at most. */
  due: number;
  oldestDue: Date | null;
}

/** A few entries of one index for each endpoint, however much waits. */
export async function countDeliveryWork(sql: Sql, now: Date): Promise<DeliveryWork[]> {
  const { rows } = await sql.raw(
    `select c.class, count(w.id)::int as endpoints, coalesce(sum(held.due), 0)::int as due,
       min(held.oldest) as "oldestDue"
     from (values ('healthy'), ('failing'), ('disabled')) as c (class)
     left join webhook_endpoints w on w.disabled_reason is distinct from 'removed' and c.class =
       case when not w.active then 'disabled'
            when w.failing_since is not null or w.open_until is not null then 'failing'
            else 'healthy' end
     left join lateral (
       select sum(lane.due) as due, min(lane.oldest) as oldest from (values (0), (1)) as l (lane),
         lateral (select count(*) as due, min(d.next_attempt_at) as oldest from (
           select next_attempt_at from webhook_deliveries d
           where d.endpoint_id = w.id and d.state = 'pending' and least(d.attempts, 1) = l.lane
             and d.next_attempt_at <= :now
           order by next_attempt_at limit 1000) d) lane) held on w.active
     group by c.class`,
    { now },
  );
  return rows;
}
