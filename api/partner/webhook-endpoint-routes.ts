import { type Static, Type } from 'typebox';
import { sendPing } from '../../shared/messaging/events/pings.ts';
import { ORDERINGS, PAYLOADS } from '../../shared/messaging/webhooks/endpoint.ts';
import {
  MAX_EVENT_TYPES,
  MAX_HEADER_LENGTH,
  MAX_PER_SECOND,
  MAX_SECRET_LENGTH,
  MAX_URL_LENGTH,
  MIN_NAMED_SECRET_LENGTH,
  NAME_PATTERN,
} from '../../shared/messaging/webhooks/endpoint-settings.ts';
import {
  createEndpoint,
  listEndpoints,
  type NamedEndpoint,
  readEndpoint,
  removeEndpoint,
  rotateSecret,
  updateEndpoint,
} from '../../shared/messaging/webhooks/manage-endpoint.ts';
import {
  cancelReplay,
  type Replay,
  readReplay,
  startReplay,
} from '../../shared/messaging/webhooks/replay.ts';
import { oneLineText } from '../../shared/platform/one-line.ts';
import { dateOrInstant, Instant, nullable } from '../http/common-schemas.ts';
import { BY_ID, PageQuery } from '../http/pagination.ts';
import { reply } from '../http/reply.ts';
import { type PartnerRoute, partnerRoute } from './partner-route.ts';
import { DISABLED_REASON, IdParams, ScheduledDelivery } from './webhook-views.ts';

const EventTypes = Type.Array(oneLineText({ minLength: 1, maxLength: 64 }), {
  minItems: 1,
  maxItems: MAX_EVENT_TYPES,
  description: 'Event types and patterns such as `order.*`; null means all.',
});

const SETTINGS = {
  name: Type.String({
    pattern: NAME_PATTERN,
    description: 'Unique among your endpoints in the environment. Defaults to the ID.',
  }),
  event_types: nullable(EventTypes),
  payload: Type.Enum([...PAYLOADS], {
    description: '`thin` sends `{id, type, created_at, partner_id, subject}`, without `data`.',
  }),
  ordering: Type.Enum([...ORDERINGS], {
    description:
      '`per_subject` sends the events of each order or case strictly in order; other orders and cases do not wait.',
  }),
  max_per_second: nullable(
    Type.Integer({ minimum: 1, maximum: MAX_PER_SECOND, description: 'Requests per second.' }),
  ),
  headers: Type.Record(
    Type.String(),
    nullable(oneLineText({ minLength: 1, maxLength: MAX_HEADER_LENGTH })),
    {
      description:
        'Up to 5 custom headers. Values are encrypted and never shown: they read as null, and sending null keeps a value.',
    },
  ),
};

const Secret = Type.String({
  minLength: MIN_NAMED_SECRET_LENGTH,
  maxLength: MAX_SECRET_LENGTH,
  description:
    'Generated unless you provide one. Format: `whsec_` and the base64 of at least 24 bytes.',
});

const Url = oneLineText({
  maxLength: MAX_URL_LENGTH,
  description: 'http or https (LIVE: https only), public, without credentials.',
});

const NewWebhookEndpoint = Type.Object(
  { url: Url, ...Type.Partial(Type.Object(SETTINGS)).properties, secret: Type.Optional(Secret) },
  {
    title: 'NewWebhookEndpoint',
    examples: [
      {
        url: 'https://partner.example/hooks/orders',
        name: 'orders',
        event_types: ['order.*', 'transfer.completed'],
        ordering: 'per_subject',
        headers: { 'X-Tenant': 'blue' },
      },
    ],
  },
);

const WebhookEndpointChange = Type.Partial(
  Type.Object({
    url: Url,
    ...SETTINGS,
    active: Type.Boolean({
      description:
        '`false` pauses the endpoint and cancels its pending deliveries; `true` re-enables it. Use a replay to send what it missed.',
    }),
  }),
  { title: 'WebhookEndpointChange', examples: [{ event_types: ['order.*'], active: true }] },
);

const VIEW = {
  id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  event_types: nullable(Type.Array(Type.String())),
  payload: Type.Enum([...PAYLOADS]),
  ordering: Type.Enum([...ORDERINGS]),
  max_per_second: nullable(Type.Integer()),
  headers: Type.Record(Type.String(), Type.Null(), {
    description: 'The names of your custom headers; values are never shown.',
  }),
  active: Type.Boolean(),
  disabled_reason: DISABLED_REASON,
  created_at: Instant,
  updated_at: Instant,
  previous_secret_until: nullable(Instant),
  health: Type.Object({
    status: Type.Enum(['healthy', 'failing', 'disabled']),
    failing_since: nullable(Instant),
    last_success_at: nullable(Instant),
    last_failure_at: nullable(Instant),
    paused_until: nullable(
      Type.String({
        format: 'date-time',
        description: 'The circuit breaker is open until then; nothing is sent.',
      }),
    ),
  }),
};

const WebhookEndpointView = Type.Object(VIEW, {
  title: 'WebhookEndpoint',
  description: 'An endpoint with its settings and health.',
});

const WebhookEndpointWithSecret = Type.Object(
  {
    ...VIEW,
    secret: nullable(
      Type.String({ description: 'Shown only once; null if you provided the secret yourself.' }),
    ),
  },
  {
    title: 'WebhookEndpointWithSecret',
    description: 'An endpoint and its generated secret.',
  },
);

const WebhookEndpointList = Type.Object(
  { endpoints: Type.Array(WebhookEndpointView), next_cursor: nullable(Type.String()) },
  { title: 'WebhookEndpointList', description: 'Endpoints, newest first.' },
);

const RotationInput = Type.Object(
  {
    secret: Type.Optional(Secret),
    overlap_hours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 168,
        description:
          'How many hours the old secret also signs `webhook-signature`. Defaults to 24.',
      }),
    ),
  },
  { title: 'SecretRotation', examples: [{ overlap_hours: 48 }] },
);

const ReplayRequest = Type.Object(
  {
    from: dateOrInstant('Inclusive.'),
    to: dateOrInstant('Exclusive.'),
    event_types: Type.Optional(nullable(EventTypes)),
  },
  {
    title: 'ReplayRequest',
    examples: [{ from: '2026-11-20T00:00:00.000Z', to: '2026-11-21T00:00:00.000Z' }],
  },
);

const ReplayView = Type.Object(
  {
    id: Type.String(),
    endpoint_id: Type.String(),
    status: Type.Enum(['queued', 'running', 'completed', 'cancelled']),
    from: Instant,
    to: Instant,
    event_types: nullable(Type.Array(Type.String())),
    total: nullable(
      Type.Integer({ description: 'The number of events found; null until the replay runs.' }),
    ),
    scheduled: Type.Integer(),
    delivered: Type.Integer(),
    failed: Type.Integer(),
    progress: Type.Number({
      description: 'From 0 to 1: the share of deliveries that succeeded or were given up.',
    }),
    created_at: Instant,
    finished_at: nullable(Instant),
    status_url: Type.String(),
  },
  { title: 'Replay', description: 'A resend of past events to an endpoint.' },
);

const createRoute = partnerRoute({
  method: 'POST',
  path: '/v1/webhooks/endpoints',
  operationId: 'createWebhookEndpoint',
  summary: 'Create a webhook endpoint.',
  description:
    'Up to 10 per partner and environment, besides that of `PUT /webhooks` (named `default`). Earlier events are not sent; use a replay for them.',
  scopes: ['webhook'],
  limit: 'write',
  body: NewWebhookEndpoint,
  responses: { 201: WebhookEndpointWithSecret },
  errors: ['conflict'],
  async handler(context, { caller, body }) {
    const { secret, ...settings } = body;
    const created = await createEndpoint(context, caller, {
      ...settingsOf(settings),
      url: body.url,
      secret,
    });
    return reply(201, withNewSecret(created, secret));
  },
});

const listRoute = partnerRoute({
  method: 'GET',
  path: '/v1/webhooks/endpoints',
  operationId: 'listWebhookEndpoints',
  summary: 'List the webhook endpoints, newest first.',
  scopes: ['webhook'],
  limit: 'reads',
  query: Type.Object(PageQuery),
  responses: { 200: WebhookEndpointList },
  async handler(context, { caller, query }) {
    const cursors = context.cursors.ofPartner(caller, ['webhook-endpoints'], BY_ID);
    const before = await cursors.read(query.cursor);
    const { rows, next } = await listEndpoints(context, caller, { before, limit: query.limit });
    const next_cursor = await cursors.write(next);
    return reply(200, { endpoints: rows.map(webhookEndpointView), next_cursor });
  },
});

const getRoute = partnerRoute({
  method: 'GET',
  path: '/v1/webhooks/endpoints/:id',
  operationId: 'getWebhookEndpoint',
  summary: 'Read a webhook endpoint and its health.',
  scopes: ['webhook'],
  limit: 'reads',
  params: IdParams,
  responses: { 200: WebhookEndpointView },
  errors: ['not_found'],
  async handler(context, { caller, params }) {
    return reply(200, webhookEndpointView(await readEndpoint(context, caller, params.id)));
  },
});

const updateRoute = partnerRoute({
  method: 'PATCH',
  path: '/v1/webhooks/endpoints/:id',
  operationId: 'updateWebhookEndpoint',
  summary: 'Change, pause or re-enable a webhook endpoint.',
  description:
    'Omitted fields keep their values. `headers` replaces all headers. A new URL re-enables a disabled endpoint.',
  scopes: ['webhook'],
  limit: 'write',
  params: IdParams,
  body: WebhookEndpointChange,
  responses: { 200: WebhookEndpointView },
  errors: ['not_found', 'conflict'],
  async handler(context, { caller, params, body }) {
    const changed = await updateEndpoint(context, caller, params.id, settingsOf(body));
    return reply(200, webhookEndpointView(changed));
  },
});

const removeRoute = partnerRoute({
  method: 'DELETE',
  path: '/v1/webhooks/endpoints/:id',
  operationId: 'removeWebhookEndpoint',
  summary: 'Remove a webhook endpoint and cancel its pending deliveries.',
  scopes: ['webhook'],
  limit: 'write',
  params: IdParams,
  responses: { 204: null },
  errors: ['not_found'],
  async handler(context, { caller, params }) {
    await removeEndpoint(context, caller, params.id);
    return reply(204);
  },
});

const rotateRoute = partnerRoute({
  method: 'POST',
  path: '/v1/webhooks/endpoints/:id/rotate-secret',
  operationId: 'rotateSecret',
  summary: 'Rotate the secret of a webhook endpoint; the old one also signs for a day.',
  description:
    '`X-Service-Signature` uses the new secret immediately; `webhook-signature` carries a signature of both secrets until the overlap ends.',
  scopes: ['webhook'],
  limit: 'write',
  params: IdParams,
  body: RotationInput,
  responses: { 200: WebhookEndpointWithSecret },
  errors: ['not_found'],
  async handler(context, { caller, params, body }) {
    const rotation = { secret: body.secret, overlapHours: body.overlap_hours };
    const rotated = await rotateSecret(context, caller, params.id, rotation);
    return reply(200, withNewSecret(rotated, body.secret));
  },
});

const testRoute = partnerRoute({
  method: 'POST',
  path: '/v1/webhooks/endpoints/:id/test',
  operationId: 'testWebhookEndpoint',
  summary: 'Send a signed webhook.ping to a webhook endpoint.',
  scopes: ['webhook'],
  limit: 'write',
  params: IdParams,
  responses: { 202: ScheduledDelivery },
  errors: ['not_found', 'conflict'],
  async handler(context, { caller, params }) {
    const { id } = await readEndpoint(context, caller, params.id);
    return reply(202, { delivery_id: await sendPing(context, caller, id) });
  },
});

const replayRoute = partnerRoute({
  method: 'POST',
  path: '/v1/webhooks/endpoints/:id/replay',
  operationId: 'replayEvents',
  summary: 'Resend the events of a period to a webhook endpoint.',
  description:
    'Sends the event types the endpoint is subscribed to, oldest first. `event_types` narrows them further.',
  scopes: ['webhook'],
  limit: 'write',
  params: IdParams,
  body: ReplayRequest,
  responses: { 202: ReplayView },
  errors: ['not_found', 'conflict'],
  async handler(context, { caller, params, body }) {
    const replay = await startReplay(context, caller, params.id, {
      from: new Date(body.from),
      to: new Date(body.to),
      eventTypes: body.event_types ?? null,
    });
    return reply(202, replayView(replay));
  },
});

const getReplayRoute = partnerRoute({
  method: 'GET',
  path: '/v1/webhooks/replays/:id',
  operationId: 'getReplay',
  summary: 'Read the progress of a replay.',
  scopes: ['webhook'],
  limit: 'reads',
  params: IdParams,
  responses: { 200: ReplayView },
  errors: ['not_found'],
  async handler(context, { caller, params }) {
    return reply(200, replayView(await readReplay(context, caller, params.id)));
  },
});

const cancelReplayRoute = partnerRoute({
  method: 'POST',
  path: '/v1/webhooks/replays/:id/cancel',
  operationId: 'cancelReplay',
  summary: 'Stop a replay and cancel its pending deliveries.',
  scopes: ['webhook'],
  limit: 'write',
  params: IdParams,
  responses: { 200: ReplayView },
  errors: ['not_found', 'conflict'],
  async handler(context, { caller, params }) {
    return reply(200, replayView(await cancelReplay(context, caller, params.id)));
  },
});

/** The routes of named endpoints and replays, without the version. */
export const webhookEndpointRoutes: readonly PartnerRoute[] = [
  createRoute,
  listRoute,
  getRoute,
  updateRoute,
  removeRoute,
  rotateRoute,
  testRoute,
  replayRoute,
  getReplayRoute,
  cancelReplayRoute,
];

/** Converts the settings in a body to the names used in the code. */
function settingsOf(body: Partial<Static<typeof WebhookEndpointChange>>) {
  const { event_types, max_per_second, ...same } = body;
  return {
    ...same,
    ...(event_types !== undefined && { eventTypes: event_types }),
    ...(max_per_second !== undefined && { maxPerSecond: max_per_second }),
  };
}

/** Returns an endpoint with its generated secret. A secret that the partner chose is never returned. */
function withNewSecret(
  { endpoint, secret }: { endpoint: NamedEndpoint; secret: string },
  given: string | undefined,
) {
  return { ...webhookEndpointView(endpoint), secret: given === undefined ? secret : null };
}

/** Returns a named endpoint as its partner sees it. */
export function webhookEndpointView(endpoint: NamedEndpoint) {
  const { failingSince, openUntil } = endpoint;
  return {
    id: endpoint.id,
    name: endpoint.name,
    url: endpoint.url,
    event_types: endpoint.eventTypes,
    payload: endpoint.payload,
    ordering: endpoint.ordering,
    max_per_second: endpoint.maxPerSecond,
    headers: Object.fromEntries(endpoint.headerNames.map((name) => [name, null])),
    active: endpoint.active,
    disabled_reason: endpoint.disabledReason,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
    previous_secret_until: endpoint.previousSecretUntil?.toISOString() ?? null,
    health: {
      status: !endpoint.active ? 'disabled' : failingSince || openUntil ? 'failing' : 'healthy',
      failing_since: failingSince?.toISOString() ?? null,
      last_success_at: endpoint.lastSuccessAt?.toISOString() ?? null,
      last_failure_at: endpoint.lastFailureAt?.toISOString() ?? null,
      paused_until: openUntil?.toISOString() ?? null,
    },
  };
}

/** Returns a replay as its partner sees it. */
export function replayView(replay: Replay) {
  return {
    id: replay.id,
    endpoint_id: replay.endpointId,
    status: replay.state,
    from: replay.from.toISOString(),
    to: replay.to.toISOString(),
    event_types: replay.eventTypes,
    total: replay.total,
    scheduled: replay.scheduled,
    delivered: replay.delivered,
    failed: replay.failed,
    progress: replay.progress,
    created_at: replay.createdAt.toISOString(),
    finished_at: replay.finishedAt?.toISOString() ?? null,
    status_url: `/api/partner/v1/webhooks/replays/${replay.id}`,
  };
}
