import type { DeliveryStatus } from '../../delivery/webhooks/delivery.ts';
import type { Endpoint, EndpointOwner } from '../../delivery/webhooks/endpoint.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';

/** An endpoint as ops see it: whose it is, and what is in its way. */
export interface OpsEndpoint extends Endpoint {
  partnerId: string;
  partnerName: string;
  environment: Environment;
  /** Until then the circuit breaker sends nothing; null while it is closed. */
  openUntil: Date | null;
  /** Deliveries that have not come to their end; counted up to {@link COUNT_UP_TO}. */
  waiting: number;
}

/** An endpoint can have any number of deliveries waiting; beyond this it is just many. */
export const COUNT_UP_TO = 1_000;

const SELECT = `select w.id, w.url, w.active, w.disabled_reason as "disabledReason",
    w.failing_since as "failingSince", w.last_success_at as "lastSuccessAt",
    w.last_failure_at as "lastFailureAt", w.previous_secret_until as "previousSecretUntil",
    w.created_at as "createdAt", w.updated_at as "updatedAt", w.partner_id as "partnerId",
    p.name as "partnerName", w.environment, w.open_until as "openUntil",
    (select count(*) from (
       select 1 from webhook_deliveries d where d.endpoint_id = w.id and d.state = 'pending'
         and least(d.attempts, 1) in (0, 1)
       limit ${COUNT_UP_TO}) held) as waiting
  from webhook_endpoints w join partners p on p.id = w.partner_id`;

/** What needs a look: failing now, or switched off by its failures. A removed one is gone for good. */
const IS_FAILING = `(w.failing_since is not null or not w.active)
  and w.disabled_reason is distinct from 'removed'`;

/** Endpoints of all partners after `after`: the longest failing first, or all by age. */
export async function listEndpoints(
  sql: Sql,
  page: { failing: boolean; after: string | null; limit: number },
): Promise<OpsEndpoint[]> {
  const { failing, ...bindings } = page;
  const { rows } = await sql.raw(
    failing
      ? `${SELECT} where ${IS_FAILING} and (:after::text is null
           or (coalesce(w.failing_since, w.updated_at), w.id) >
              (select coalesce(a.failing_since, a.updated_at), a.id from webhook_endpoints a where a.id = :after))
         order by coalesce(w.failing_since, w.updated_at), w.id limit :limit`
      : `${SELECT} where (:after::text is null or w.id > :after)
           and w.disabled_reason is distinct from 'removed' order by w.id limit :limit`,
    bindings,
  );
  return rows;
}

/** The endpoint of one owner, also a removed one: its log is still there. */
export async function findEndpointForOps(
  sql: Sql,
  owner: EndpointOwner,
): Promise<OpsEndpoint | undefined> {
  const { rows } = await sql.raw(
    `${SELECT} where w.partner_id = :partnerId and w.environment = :environment`,
    { partnerId: owner.partnerId, environment: owner.environment },
  );
  return rows[0];
}

/** A delivery as ops see it before they send it again. */
export interface OpsDelivery extends EndpointOwner {
  id: string;
  partnerName: string;
  eventId: string;
  eventType: string;
  subject: string | null;
  state: DeliveryStatus;
  attempts: number;
  url: string;
  createdAt: Date;
}

export async function findDeliveryForOps(sql: Sql, id: string): Promise<OpsDelivery | undefined> {
  const { rows } = await sql.raw(
    `select d.id, d.partner_id as "partnerId", d.environment, p.name as "partnerName",
       d.event_id as "eventId", e.type as "eventType", e.subject, d.state, d.attempts, w.url,
       d.created_at as "createdAt"
     from webhook_deliveries d
     join partners p on p.id = d.partner_id
     join events e on e.id = d.event_id
     join webhook_endpoints w on w.id = d.endpoint_id
     where d.id = :id`,
    { id },
  );
  return rows[0];
}

/** Whose delivery it is; for ops, who act for every partner. */
export async function findDeliveryOwner(sql: Sql, id: string): Promise<EndpointOwner | undefined> {
  const { rows } = await sql.raw(
    `select partner_id as "partnerId", environment from webhook_deliveries where id = :id`,
    { id },
  );
  return rows[0];
}

/** Whose event it is. */
export async function findEventOwner(sql: Sql, id: string): Promise<EndpointOwner | undefined> {
  const { rows } = await sql.raw(
    `select partner_id as "partnerId", environment from events where id = :id`,
    { id },
  );
  return rows[0];
}
