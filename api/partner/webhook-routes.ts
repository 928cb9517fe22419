import { Type } from 'typebox';
import { EVENT_TYPES } from '../../shared/messaging/event-types/event.ts';
import { sendPing } from '../../shared/messaging/events/pings.ts';
import {
  type Attempt,
  DELIVERY_STATUSES,
  type Delivery,
} from '../../shared/messaging/webhooks/delivery.ts';
import type { Endpoint } from '../../shared/messaging/webhooks/endpoint.ts';
import {
  MAX_SECRET_LENGTH,
  MAX_URL_LENGTH,
  MIN_SECRET_LENGTH,
} from '../../shared/messaging/webhooks/endpoint-settings.ts';
import {
  readEndpoint,
  registerEndpoint,
  removeEndpoint,
} from '../../shared/messaging/webhooks/manage-endpoint.ts';
import { listDeliveries } from '../../shared/messaging/webhooks/read-deliveries.ts';
import {
  resendDelivery,
  resendEvent,
} from '../../shared/messaging/webhooks/requested-deliveries.ts';
import { oneLineText } from '../../shared/platform/one-line.ts';
import { Instant, nullable } from '../http/common-schemas.ts';
import { BY_ID, PageQuery, PeriodQuery, parsePeriod } from '../http/pagination.ts';
import { reply } from '../http/reply.ts';
import { type PartnerRoute, partnerRoute } from './partner-route.ts';
import { webhookEndpointRoutes } from './webhook-endpoint-routes.ts';
import { DISABLED_REASON, IdParams, ScheduledDelivery } from './webhook-views.ts';

const EndpointInput = Type.Object(
  {
    url: oneLineText({
      maxLength: MAX_URL_LENGTH,
      description: 'http or https (LIVE: https only), public, without credentials.',
    }),
    secret: Type.String({
      minLength: MIN_SECRET_LENGTH,
      maxLength: MAX_SECRET_LENGTH,
      description:
        'Signs every delivery. Any text; for libraries of Standard Webhooks, `whsec_` and the base64 of at least 24 bytes. Never shown again.',
    }),
  },
  {
    title: 'EndpointInput',
    examples: [
      { url: 'https://partner.example/hooks', secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3' },
    ],
  },
);

const RegisteredEndpoint = Type.Object(
  { url: Type.String(), active: Type.Boolean(), created_at: Instant },
  { title: 'RegisteredEndpoint', description: 'The endpoint as registered.' },
);

const EndpointView = Type.Object(
  {
    url: Type.String(),
    active: Type.Boolean(),
    created_at: Instant,
    updated_at: Instant,
    disabled_reason: DISABLED_REASON,
    failing_since: nullable(Instant),
    last_success_at: nullable(Instant),
    last_failure_at: nullable(Instant),
    previous_secret_until: nullable(Instant),
  },
  { title: 'Endpoint', description: 'The endpoint and its health.' },
);

const HeaderMap = Type.Record(Type.String(), Type.String(), {
  description: 'The values of your custom headers are omitted.',
});

const AttemptView = Type.Object({
  attempt: Type.Integer({ description: 'The number of the attempt; 1 is the first.' }),
  started_at: Instant,
  elapsed_ms: Type.Integer(),
  status_code: nullable(Type.Integer()),
  outcome: Type.String({ description: '`delivered`, or the reason it failed.' }),
  detail: nullable(
    Type.String({ description: 'The reason for the failure if there was no response.' }),
  ),
  request_headers: nullable(HeaderMap),
  response_headers: nullable(HeaderMap),
  response_body: nullable(Type.String({ description: 'The first 4 kB of the response.' })),
});

const DeliveryView = Type.Object(
  {
    id: Type.String(),
    endpoint_id: Type.String(),
    event_id: Type.String(),
    event_type: Type.Enum([...EVENT_TYPES]),
    status: Type.Enum([...DELIVERY_STATUSES]),
    attempts: Type.Array(AttemptView),
    next_attempt_at: nullable(Instant),
    created_at: Instant,
    finished_at: nullable(Instant),
    resend_of: nullable(Type.String({ description: 'The delivery that this one repeats.' })),
    replay_id: nullable(Type.String({ description: 'The replay that created this delivery.' })),
  },
  {
    title: 'Delivery',
    description: 'The delivery of an event to an endpoint, with every attempt.',
  },
);

const DeliveryList = Type.Object(
  {
    deliveries: Type.Array(DeliveryView),
    next_cursor: nullable(Type.String()),
  },
  { title: 'DeliveryList', description: 'Deliveries, newest first.' },
);

const DeliveryQuery = Type.Object({
  ...PageQuery,
  ...PeriodQuery,
  endpoint_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  event_type: Type.Optional(
    Type.String({ maxLength: 64, description: 'A type, or a pattern such as `order.*`.' }),
  ),
  event_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  status: Type.Optional(Type.Enum([...DELIVERY_STATUSES])),
});

const ScheduledDeliveries = Type.Object(
  {
    delivery_id: Type.String({ description: 'The first of `delivery_ids`.' }),
    delivery_ids: Type.Array(Type.String(), { description: 'One for each endpoint.' }),
  },
  {
    title: 'ScheduledDeliveries',
    description: 'Queued. Follow them with `GET /v1/webhooks/deliveries`.',
  },
);

/** `PUT /webhooks`: registers or replaces the endpoint and its signing secret. */
const registerEndpointRoute = partnerRoute({
  method: 'PUT',
  path: '/webhooks',
  operationId: 'registerEndpoint',
  summary: 'Register, replace or re-activate the webhook endpoint.',
  description:
    'This is the endpoint named `default`; `POST /v1/webhooks/endpoints` creates others. Earlier events are not sent; read them from the event history.',
  scopes: ['webhook'],
  limit: 'write',
  body: EndpointInput,
  responses: { 200: RegisteredEndpoint },
  async handler(context, { caller, body }) {
    const endpoint = await registerEndpoint(context, caller, body);
    return reply(200, {
      url: endpoint.url,
      active: endpoint.active,
      created_at: endpoint.createdAt.toISOString(),
    });
  },
});

/** `GET /v1/webhooks`: the endpoint and its health. */
const getEndpointRoute = partnerRoute({
  method: 'GET',
  path: '/v1/webhooks',
  operationId: 'getEndpoint',
  summary: 'Read the webhook endpoint and its health.',
  scopes: ['webhook'],
  limit: 'reads',
  responses: { 200: EndpointView },
  errors: ['not_found'],
  async handler(context, { caller }) {
    return reply(200, endpointView(await readEndpoint(context, caller)));
  },
});

/** `DELETE /v1/webhooks`: stops all sending; the history and the delivery log stay readable. */
const removeEndpointRoute = partnerRoute({
  method: 'DELETE',
  path: '/v1/webhooks',
  operationId: 'removeEndpoint',
  summary: 'Remove the webhook endpoint and cancel its pending deliveries.',
  scopes: ['webhook'],
  limit: 'write',
  responses: { 204: null },
  errors: ['not_found'],
  async handler(context, { caller }) {
    await removeEndpoint(context, caller);
    return reply(204);
  },
});

/** `POST /v1/webhooks/test`: sends a signed `webhook.ping`, which is not part of the history. */
const sendTestRoute = partnerRoute({
  method: 'POST',
  path: '/v1/webhooks/test',
  operationId: 'sendTest',
  summary: 'Send a signed webhook.ping to the endpoint.',
  scopes: ['webhook'],
  limit: 'write',
  responses: { 202: ScheduledDelivery },
  errors: ['not_found', 'conflict'],
  async handler(context, { caller }) {
    return reply(202, { delivery_id: await sendPing(context, caller) });
  },
});

/** `GET /v1/webhooks/deliveries`: the log of deliveries and their attempts, newest first. */
const listDeliveriesRoute = partnerRoute({
  method: 'GET',
  path: '/v1/webhooks/deliveries',
  operationId: 'listDeliveries',
  summary: 'List webhook deliveries with every attempt, newest first.',
  scopes: ['webhook'],
  limit: 'reads',
  query: DeliveryQuery,
  responses: { 200: DeliveryList },
  async handler(context, { caller, query }) {
    const { limit, cursor, endpoint_id, event_id, event_type, status } = query;
    const period = parsePeriod(query);
    const filter = {
      endpointId: endpoint_id ?? null,
      eventId: event_id ?? null,
      eventType: event_type ?? null,
      status: status ?? null,
      ...period,
    };
    const cursors = context.cursors.ofPartner(caller, ['deliveries', filter], BY_ID);
    const before = await cursors.read(cursor);
    const { rows, next } = await listDeliveries(context, caller, { ...filter, before, limit });
    const next_cursor = await cursors.write(next);
    return reply(200, { deliveries: rows.map(deliveryView), next_cursor });
  },
});

/** `POST /v1/webhooks/deliveries/{id}/resend`: sends the same event again, on its own retry schedule. */
const resendDeliveryRoute = partnerRoute({
  method: 'POST',
  path: '/v1/webhooks/deliveries/:id/resend',
  operationId: 'resendDelivery',
  summary: 'Resend the event of a delivery.',
  scopes: ['webhook'],
  limit: 'write',
  params: IdParams,
  responses: { 202: ScheduledDelivery },
  errors: ['conflict'],
  async handler(context, { caller, params }) {
    return reply(202, { delivery_id: await resendDelivery(context, caller, params.id) });
  },
});

/** `POST /events/{id}/resend`: sends an event of the history to the endpoints subscribed to its type. */
const resendEventRoute = partnerRoute({
  method: 'POST',
  path: '/v1/events/:id/resend',
  operationId: 'resendEvent',
  summary: 'Send a past event to every endpoint subscribed to its type.',
  scopes: ['webhook'],
  limit: 'write',
  params: IdParams,
  responses: { 202: ScheduledDeliveries },
  errors: ['conflict'],
  async handler(context, { caller, params }) {
    const delivery_ids = await resendEvent(context, caller, params.id);
    return reply(202, { delivery_id: delivery_ids[0], delivery_ids });
  },
});

export const webhookRoutes: readonly PartnerRoute[] = [
  ...webhookEndpointRoutes,
  registerEndpointRoute,
  getEndpointRoute,
  removeEndpointRoute,
  sendTestRoute,
  listDeliveriesRoute,
  resendDeliveryRoute,
  resendEventRoute,
];

/** Returns an endpoint as its partner sees it, without the secret. */
export function endpointView(endpoint: Endpoint) {
  return {
    url: endpoint.url,
    active: endpoint.active,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
    disabled_reason: endpoint.disabledReason,
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    last_success_at: endpoint.lastSuccessAt?.toISOString() ?? null,
    last_failure_at: endpoint.lastFailureAt?.toISOString() ?? null,
    previous_secret_until: endpoint.previousSecretUntil?.toISOString() ?? null,
  };
}

/** Returns a delivery with its attempts. */
function deliveryView(delivery: Delivery) {
  return {
    id: delivery.id,
    endpoint_id: delivery.endpointId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    status: delivery.status,
    attempts: delivery.attempts.map(attemptView),
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    created_at: delivery.createdAt.toISOString(),
    finished_at: delivery.finishedAt?.toISOString() ?? null,
    resend_of: delivery.resendOf,
    replay_id: delivery.replayId,
  };
}

function attemptView(attempt: Attempt) {
  return {
    attempt: attempt.attempt,
    started_at: attempt.startedAt.toISOString(),
    elapsed_ms: attempt.elapsedMs,
    status_code: attempt.statusCode,
    outcome: attempt.outcome,
    detail: attempt.detail,
    request_headers: attempt.requestHeaders,
    response_headers: attempt.responseHeaders,
    response_body: attempt.responseBody,
  };
}
