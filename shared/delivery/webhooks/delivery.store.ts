import type { Environment } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  jsonb,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { Attempt, Delivery, DeliveryState, DeliveryStatus } from './delivery.ts';
import type { EndpointOwner } from './endpoint.ts';

const OWNER = { partnerId: text, environment: textOf<Environment>() };

/** Schedules a delivery of each event to the owner's active endpoint; no row when there is none. */
export const insertDeliveries = defineStatement({
  params: {
    ...OWNER,
    ids: arrayOf(text),
    eventIds: arrayOf(text),
    now: timestamptz,
    traceParent: nullable(text),
  },
  row: { id: text },
  text: `insert into webhook_deliveries (id, endpoint_id, partner_id, environment, event_id, next_attempt_at, created_at,
      trace_parent)
    select d.id, w.id, w.partner_id, w.environment, d.event_id, :now, :now, :traceParent::text
    from webhook_endpoints w, unnest(:ids::text[], :eventIds::text[]) as d (id, event_id)
    where w.partner_id = :partnerId and w.environment = :environment and w.active
    returning id`,
  plan: 'once',
});

/** The event of one of the owner's deliveries. */
export const selectDeliveryEvent = defineStatement({
  params: { ...OWNER, id: text },
  row: { eventId: text },
  text: `select event_id as "eventId" from webhook_deliveries
    where id = :id and partner_id = :partnerId and environment = :environment`,
});

/** One of the owner's events (a ping is none), with its newest delivery if it had any. */
export const selectEventDelivery = defineStatement({
  params: { ...OWNER, eventId: text },
  row: { deliveryId: nullable(text) },
  text: `select (select max(d.id) from webhook_deliveries d where d.event_id = e.id) as "deliveryId"
    from events e
    where e.id = :eventId and e.partner_id = :partnerId and e.environment = :environment
      and e.position is not null`,
});

/** Schedules an event that was sent before; no row is written when there is no active endpoint. */
export const insertResend = defineStatement({
  params: { ...OWNER, id: text, eventId: text, resendOf: nullable(text), now: timestamptz },
  text: `insert into webhook_deliveries
      (id, endpoint_id, partner_id, environment, event_id, next_attempt_at, created_at, resend_of)
    select :id, w.id, w.partner_id, w.environment, :eventId, :now, :now, :resendOf
    from webhook_endpoints w
    where w.partner_id = :partnerId and w.environment = :environment and w.active`,
});

/** Cancels what waits for an endpoint; what is under way ends by its own outcome. */
export const updatePendingCancelled = defineStatement({
  params: { endpointId: text, now: timestamptz },
  text: `update webhook_deliveries set state = 'cancelled', finished_at = :now, lease_until = null
    where endpoint_id = :endpointId and state = 'pending' and least(attempts, 1) in (0, 1)`,
});

const DELIVERY = {
  id: text,
  eventId: text,
  eventType: text,
  subject: nullable(text),
  state: textOf<DeliveryState>(),
  nextAttemptAt: nullable(timestamptz),
  createdAt: timestamptz,
  finishedAt: nullable(timestamptz),
  resendOf: nullable(text),
  attempts: jsonb<(Omit<Attempt, 'startedAt'> & { startedAt: string })[]>(),
};

/** Deliveries below `before`, newest first, each with its attempts in order. */
export const selectDeliveries = defineStatement({
  params: {
    ...OWNER,
    eventId: nullable(text),
    states: nullable(arrayOf(textOf<DeliveryState>())),
    before: nullable(text),
    limit: bigint,
  },
  row: DELIVERY,
  text: `select d.id, d.event_id as "eventId", e.type as "eventType", e.subject, d.state,
      case when d.finished_at is null then d.next_attempt_at end as "nextAttemptAt",
      d.created_at as "createdAt", d.finished_at as "finishedAt", d.resend_of as "resendOf",
      coalesce(a.attempts, '[]') as attempts
    from webhook_deliveries d
    join events e on e.id = d.event_id
    left join lateral (
      select jsonb_agg(jsonb_build_object(
        'attempt', attempt, 'startedAt', started_at, 'elapsedMs', elapsed_ms, 'statusCode', status,
        'outcome', outcome, 'detail', detail, 'responseExcerpt', response_excerpt) order by attempt) as attempts
      from webhook_attempts where delivery_id = d.id) a on true
    where d.partner_id = :partnerId and d.environment = :environment
      and (:eventId::text is null or d.event_id = :eventId)
      and (:states::text[] is null or d.state = any(:states))
      and (:before::text is null or d.id < :before)
    order by d.id desc limit :limit`,
});

const STATES_OF: Record<DeliveryStatus, readonly DeliveryState[]> = {
  pending: ['pending', 'dispatched'],
  delivered: ['delivered'],
  exhausted: ['exhausted'],
  cancelled: ['cancelled'],
};

/** Deliveries below `before`, newest first, each with its attempts in order. */
export async function readDeliveries(
  sql: Sql,
  { partnerId, environment }: EndpointOwner,
  page: {
    eventId: string | null;
    status: DeliveryStatus | null;
    before: string | null;
    limit: number;
  },
): Promise<Delivery[]> {
  const { status, ...rest } = page;
  const states = status && STATES_OF[status];
  const rows = await selectDeliveries.all(sql, { ...rest, partnerId, environment, states });
  return rows.map(toDelivery);
}

function toDelivery({ state, ...row }: RowOf<typeof DELIVERY>): Delivery {
  return {
    ...row,
    status: state === 'dispatched' ? 'pending' : state,
    attempts: row.attempts.map((each) => ({ ...each, startedAt: new Date(each.startedAt) })),
  };
}
