import { Type } from 'typebox';
import { DEFAULT_ENDPOINT, MAX_ENDPOINTS } from '../../../shared/messaging/webhooks/endpoint.ts';
import {
  listEndpoints,
  type NamedEndpoint,
  readEndpoint,
} from '../../../shared/messaging/webhooks/manage-endpoint.ts';
import {
  cancelReplayForOps,
  replayForOps,
  resendForOps,
  testForOps,
} from '../../../shared/operations/webhook-overview/send-for-ops.ts';
import { readReplayForOps } from '../../../shared/operations/webhook-overview/webhook-overview.ts';
import { readPartner } from '../../../shared/people/partners/read-partners.ts';
import { dateOrInstant } from '../../http/common-schemas.ts';
import { replayView, webhookEndpointView } from '../../partner/webhook-endpoint-routes.ts';
import { endpointView } from '../../partner/webhook-routes.ts';
import {
  EnvironmentField,
  EVERYONE,
  HARMLESS,
  opsAction,
  PartnerField,
  route,
  SUPPORT,
} from '../ops-action.ts';

const EndpointIdField = Type.String({ description: 'Endpoint ID (whe_...).' });
const ReplayField = Type.String({ description: 'Replay ID (rpl_...).' });

/** Returns an endpoint with its settings and health, also flattened, for tables. */
function opsEndpointView(endpoint: NamedEndpoint, partnerId: string) {
  return { ...webhookEndpointView(endpoint), ...endpointView(endpoint), partner_id: partnerId };
}

const webhookEndpoint = opsAction({
  name: 'webhook:endpoint',
  summary: "Show one of a partner's webhook endpoints, its settings and health",
  input: Type.Object({
    partner: PartnerField,
    environment: EnvironmentField,
    name: Type.Optional(
      Type.String({
        description: `Name or ID of the endpoint. Defaults to "${DEFAULT_ENDPOINT}".`,
      }),
    ),
  }),
  async run(context, { partner, environment, name }) {
    const owner = { partnerId: (await readPartner(context, partner)).id, environment };
    return opsEndpointView(await readEndpoint(context, owner, name), partner);
  },
});

const webhookEndpoints = opsAction({
  name: 'webhook:endpoints',
  summary: "List a partner's webhook endpoints, their settings and health",
  columns: ['id', 'name', 'url', 'active', 'failing_since'],
  input: Type.Object({ partner: PartnerField, environment: EnvironmentField }),
  async run(context, { partner, environment }) {
    const owner = { partnerId: (await readPartner(context, partner)).id, environment };
    const all = { before: null, limit: MAX_ENDPOINTS + 1 };
    const { rows } = await listEndpoints(context, owner, all);
    return { endpoints: rows.map((endpoint) => opsEndpointView(endpoint, partner)) };
  },
});

export const webhookResend = opsAction({
  name: 'webhook:resend',
  summary: 'Resend a webhook delivery or an event',
  input: Type.Object({
    delivery: Type.Optional(Type.String({ description: 'Delivery ID (dlv_...).' })),
    event: Type.Optional(Type.String({ description: 'Event ID (evt_...).' })),
  }),
  async run(context, { delivery, event }) {
    const request = { deliveryId: delivery, eventId: event };
    const deliveryIds = await resendForOps(context, context.actor, request);
    return { delivery_id: deliveryIds[0], delivery_ids: deliveryIds, status: 'pending' };
  },
});

export const webhookTest = opsAction({
  name: 'webhook:test',
  summary: 'Send a signed webhook.ping to a webhook endpoint',
  input: Type.Object({ endpoint: EndpointIdField }),
  async run(context, { endpoint }) {
    const deliveryId = await testForOps(context, context.actor, endpoint);
    return { delivery_id: deliveryId, status: 'pending' };
  },
});

export const webhookReplay = opsAction({
  name: 'webhook:replay',
  summary: 'Resend the events of a period to a webhook endpoint',
  input: Type.Object({
    endpoint: EndpointIdField,
    from: dateOrInstant('Inclusive.'),
    to: dateOrInstant('Exclusive.'),
    event_types: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        minItems: 1,
        description:
          'Types and patterns such as order.*, comma-separated. Defaults to all that the endpoint receives.',
      }),
    ),
  }),
  async run(context, { endpoint, from, to, event_types = null }) {
    const replay = await replayForOps(context, context.actor, endpoint, {
      from: new Date(from),
      to: new Date(to),
      eventTypes: event_types,
    });
    return replayView(replay);
  },
});

const webhookReplayStatus = opsAction({
  name: 'webhook:replay-status',
  summary: 'Show the progress of a replay',
  input: Type.Object({ replay: ReplayField }),
  async run(context, { replay }) {
    return replayView(await readReplayForOps(context, replay));
  },
});

export const webhookCancelReplay = opsAction({
  name: 'webhook:cancel-replay',
  summary: 'Stop a replay and cancel its pending deliveries',
  input: Type.Object({ replay: ReplayField }),
  async run(context, { replay }) {
    return replayView(await cancelReplayForOps(context, context.actor, replay));
  },
});

export const webhookRoutes = [
  route('GET', '/webhooks/:environment/:partner', 200, webhookEndpoint, EVERYONE, HARMLESS),
  route(
    'GET',
    '/webhooks/:environment/:partner/endpoints',
    200,
    webhookEndpoints,
    EVERYONE,
    HARMLESS,
  ),
  route('POST', '/webhooks/resend', 202, webhookResend, SUPPORT, HARMLESS),
  route('POST', '/webhook-endpoints/:endpoint/test', 202, webhookTest, SUPPORT, HARMLESS),
  route('POST', '/webhook-endpoints/:endpoint/replay', 202, webhookReplay, SUPPORT, HARMLESS),
  route('GET', '/webhook-replays/:replay', 200, webhookReplayStatus, EVERYONE, HARMLESS),
  route('POST', '/webhook-replays/:replay/cancel', 200, webhookCancelReplay, SUPPORT, HARMLESS),
];
