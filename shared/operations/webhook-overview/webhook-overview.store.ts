import type { DeliveryStatus } from '../../messaging/webhooks/delivery.ts';
import type { DisabledReason, Ordering, PayloadKind } from '../../messaging/webhooks/endpoint.ts';
import type { Environment } from '../../platform/config/config.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  bytea,
  double,
  integer,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';

const OWNER = { partnerId: text, environment: textOf<Environment>() };

const OPS_ENDPOINT = {
  id: text,
  name: text,
  url: text,
  eventTypes: nullable(arrayOf(text)),
  payload: textOf<PayloadKind>(),
  ordering: textOf<Ordering>(),
  maxPerSecond: nullable(integer),
  headers: nullable(bytea),
  /** The current limit of concurrent deliveries, before rounding down. */
  concurrency: double,
  active: boolean,
  disabledReason: nullable(textOf<DisabledReason>()),
  failingSince: nullable(timestamptz),
  lastSuccessAt: nullable(timestamptz),
  lastFailureAt: nullable(timestamptz),
  previousSecretUntil: nullable(timestamptz),
  createdAt: timestamptz,
  updatedAt: timestamptz,
  ...OWNER,
  partnerName: text,
  /** When the circuit breaker stops blocking requests; null while it is closed. */
  openUntil: nullable(timestamptz),
  /** The number of deliveries that have not ended, up to {@link COUNT_UP_TO}. */
  waiting: bigint,
};
/** An endpoint as operators see it: its owner, and what delays its deliveries. Its custom headers are encrypted. */
export type OpsEndpointRow = RowOf<typeof OPS_ENDPOINT>;

/** Waiting deliveries of an endpoint are counted up to this number. */
export const COUNT_UP_TO = 1_000;

const SELECT = `select w.id, w.name, w.url, w.event_types as "eventTypes", w.payload, w.ordering,
    w.max_per_second as "maxPerSecond", w.headers_ciphertext as headers, w.concurrency, w.active, w.disabled_reason as "disabledReason",
    w.failing_since as "failingSince", w.last_success_at as "lastSuccessAt",
    w.last_failure_at as "lastFailureAt", w.previous_secret_until as "previousSecretUntil",
    w.created_at as "createdAt", w.updated_at as "updatedAt", w.partner_id as "partnerId",
    p.name as "partnerName", w.environment, w.open_until as "openUntil",
    (select count(*) from (
       select 1 from webhook_deliveries d where d.endpoint_id = w.id and d.state = 'pending'
         and least(d.attempts, 1) in (0, 1)
       limit ${COUNT_UP_TO}) held) as waiting
  from webhook_endpoints w join partners p on p.id = w.partner_id`;

/**
 * Selects the endpoints of all partners, after `after`, that are failing or were disabled because of failures, longest
 * failing first. Removed endpoints are left out.
 */
export const selectFailingEndpoints = defineStatement({
  params: { after: nullable(text), limit: bigint },
  row: OPS_ENDPOINT,
  text: `${SELECT}
    where (w.failing_since is not null or not w.active)
      and w.disabled_reason is distinct from 'removed' and (:after::text is null
        or (coalesce(w.failing_since, w.updated_at), w.id) >
           (select coalesce(a.failing_since, a.updated_at), a.id from webhook_endpoints a where a.id = :after))
    order by coalesce(w.failing_since, w.updated_at), w.id limit :limit`,
});

/** Selects the endpoints of all partners after `after`, by age, without removed ones. */
export const selectEndpoints = defineStatement({
  params: { after: nullable(text), limit: bigint },
  row: OPS_ENDPOINT,
  text: `${SELECT} where (:after::text is null or w.id > :after)
      and w.disabled_reason is distinct from 'removed' order by w.id limit :limit`,
});

/** Selects one owner's endpoints, newest first, then the removed ones, whose log still exists. */
export const selectOwnEndpoints = defineStatement({
  params: { ...OWNER, limit: bigint },
  row: OPS_ENDPOINT,
  text: `${SELECT} where w.partner_id = :partnerId and w.environment = :environment
    order by w.disabled_reason is not distinct from 'removed', w.name <> 'default', w.id desc limit :limit`,
});

/** Selects any partner's endpoint, even if removed. */
export const selectEndpoint = defineStatement({
  params: { id: text },
  row: OPS_ENDPOINT,
  text: `${SELECT} where w.id = :id`,
});

const OPS_DELIVERY = {
  id: text,
  ...OWNER,
  partnerName: text,
  eventId: text,
  eventType: text,
  subject: nullable(text),
  state: textOf<DeliveryStatus>(),
  attempts: integer,
  endpointId: text,
  url: text,
  createdAt: timestamptz,
};
/** A delivery as operators see it before resending it. */
export type OpsDelivery = RowOf<typeof OPS_DELIVERY>;

/** Selects any partner's delivery. */
export const selectDelivery = defineStatement({
  params: { id: text },
  row: OPS_DELIVERY,
  text: `select d.id, d.partner_id as "partnerId", d.environment, p.name as "partnerName",
      d.event_id as "eventId", e.type as "eventType", e.subject,
      d.state, d.attempts, w.id as "endpointId", w.url,
      d.created_at as "createdAt"
    from webhook_deliveries d
    join partners p on p.id = d.partner_id
    join events e on e.id = d.event_id
    join webhook_endpoints w on w.id = d.endpoint_id
    where d.id = :id`,
});

/** Selects the owner of a delivery; for operators, who act for every partner. */
export const selectDeliveryOwner = defineStatement({
  params: { id: text },
  row: OWNER,
  text: 'select partner_id as "partnerId", environment from webhook_deliveries where id = :id',
});

/** Selects the owner of an endpoint; no row for a removed one. */
export const selectEndpointOwner = defineStatement({
  params: { id: text },
  row: OWNER,
  text: `select partner_id as "partnerId", environment from webhook_endpoints
    where id = :id and disabled_reason is distinct from 'removed'`,
});

/** Selects the owner of a replay. */
export const selectReplayOwner = defineStatement({
  params: { id: text },
  row: OWNER,
  text: 'select partner_id as "partnerId", environment from webhook_replays where id = :id',
});

/** Selects the owner of an event. */
export const selectEventOwner = defineStatement({
  params: { id: text },
  row: OWNER,
  text: 'select partner_id as "partnerId", environment from events where id = :id',
});
