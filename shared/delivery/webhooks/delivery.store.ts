import { prepared, type Sql, type Tx } from '../../platform/database/postgres.ts';
import type { Delivery, DeliveryState, DeliveryStatus } from './delivery.ts';
import type { EndpointOwner } from './endpoint.ts';

export async function insertDeliveries(
  tx: Tx,
  owner: { partnerId: string; environment: string },
  batch: {
    ids: readonly string[];
    eventIds: readonly string[];
    now: Date;
    traceParent: string | null;
  },
): Promise<string[]> {
  const { rows } = await prepared(
    tx,
    `insert into webhook_deliveries (id, endpoint_id, partner_id, environment, event_id, next_attempt_at, created_at,
       trace_parent)
     select d.id, w.id, w.partner_id, w.environment, d.event_id, :now, :now, :traceParent::text
     from webhook_endpoints w, unnest(:ids::text[], :eventIds::text[]) as d (id, event_id)
     where w.partner_id = :partnerId and w.environment = :environment and w.active
     returning id`,
    { ...owner, ...batch },
  );
  return rows.map((row: { id: string }) => row.id);
}

/** The event of one of the owner's deliveries. */
export async function findDeliveryEvent(
  tx: Tx,
  owner: EndpointOwner,
  id: string,
): Promise<string | undefined> {
  const { rows } = await tx.raw(
    `select event_id from webhook_deliveries
     where id = :id and partner_id = :partnerId and environment = :environment`,
    { ...owner, id },
  );
  return rows[0]?.event_id;
}

/** One of the owner's events (a ping is none), with its newest delivery if it had any. */
export async function findEventDelivery(
  tx: Tx,
  owner: EndpointOwner,
  eventId: string,
): Promise<{ deliveryId: string | null } | undefined> {
  const { rows } = await tx.raw(
    `select (select max(d.id) from webhook_deliveries d where d.event_id = e.id) as "deliveryId"
     from events e
     where e.id = :eventId and e.partner_id = :partnerId and e.environment = :environment
       and e.position is not null`,
    { ...owner, eventId },
  );
  return rows[0];
}

/** False when there is no active endpoint. */
export async function insertResend(
  tx: Tx,
  owner: EndpointOwner,
  resend: { id: string; eventId: string; resendOf: string | null; now: Date },
): Promise<boolean> {
  const result = await tx.raw(
    `insert into webhook_deliveries
       (id, endpoint_id, partner_id, environment, event_id, next_attempt_at, created_at, resend_of)
     select :id, w.id, w.partner_id, w.environment, :eventId, :now, :now, :resendOf
     from webhook_endpoints w
     where w.partner_id = :partnerId and w.environment = :environment and w.active`,
    { ...owner, ...resend },
  );
  return result.rowCount === 1;
}

/** Cancels what waits for an endpoint; what is under way ends by its own outcome. */
export async function cancelPending(tx: Tx, endpointId: string, now: Date): Promise<void> {
  await tx.raw(
    `update webhook_deliveries set state = 'cancelled', finished_at = :now, lease_until = null
     where endpoint_id = :endpointId and state = 'pending' and least(attempts, 1) in (0, 1)`,
    { endpointId, now },
  );
}

const STATES_OF: Record<DeliveryStatus, readonly DeliveryState[]> = {
  pending: ['pending', 'dispatched'],
  delivered: ['delivered'],
  exhausted: ['exhausted'],
  cancelled: ['cancelled'],
};

type DeliveryRow = Omit<Delivery, 'status' | 'attempts'> & {
  state: DeliveryState;
  attempts: (Omit<Delivery['attempts'][number], 'startedAt'> & { startedAt: string })[];
};

/** Deliveries below `before`, newest first, each with its attempts in order. */
export async function listPage(
  sql: Sql,
  owner: EndpointOwner,
  options: {
    eventId: string | null;
    status: DeliveryStatus | null;
    before: string | null;
    limit: number;
  },
): Promise<Delivery[]> {
  const { eventId, status, before, limit } = options;
  const { rows } = await sql.raw(
    `select d.id, d.event_id as "eventId", e.type as "eventType", e.subject, d.state,
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
       ${eventId === null ? '' : 'and d.event_id = :eventId'}
       ${status === null ? '' : 'and d.state = any(:states)'}
       ${before === null ? '' : 'and d.id < :before'}
     order by d.id desc limit :limit`,
    {
      partnerId: owner.partnerId,
      environment: owner.environment,
      limit,
      ...(eventId !== null && { eventId }),
      ...(status !== null && { states: STATES_OF[status] }),
      ...(before !== null && { before }),
    },
  );
  return rows.map(toDelivery);
}

function toDelivery({ state, ...row }: DeliveryRow): Delivery {
  return {
    ...row,
    status: state === 'dispatched' ? 'pending' : state,
    attempts: row.attempts.map((each) => ({ ...each, startedAt: new Date(each.startedAt) })),
  };
}
