import { Type } from 'typebox';
import { EVENT_TYPES, type EventType } from '../../shared/events/event.ts';
import { eventFields, familyOf } from '../partner/events/event.schema.ts';
import type { Components } from './components.ts';
import { type Json, pascalCase } from './json.ts';

/** When each event is sent. */
const SUMMARIES: Record<EventType, string> = {
  'order.recorded': 'A sale was recorded',
  'order.manual_review_cleared': 'A held order was cleared',
  'order.transfer_started': 'The push of the domain began',
  'order.transfer_completed': 'The domain was delivered; the settlement clock starts',
  'order.settled': 'The order is in a closed statement',
  'order.refunded': 'The order was refunded, cancelled or clawed back',
  'transfer.initiated': 'The registrar was asked to push the domain',
  'transfer.auth_code_ready': 'The domain moves by auth code, and the code is ready',
  'transfer.pending_registry': 'The registry is working on the transfer',
  'transfer.action_required': 'Somebody has to act for the transfer to go on',
  'transfer.completed': 'The registrar reports the domain as moved',
  'transfer.failed': 'The transfer failed',
  'transfer.cancelled': 'The transfer was stopped, for a refund',
  'brokerage.case_updated': 'A brokerage case moved on, or its buyer raised the budget',
  'brokerage.case_completed': 'A brokerage case closed with a deal',
  'webhook.ping': 'A test that you asked for; not in the history',
};

const header = (name: string, description: string, schema: Json = { type: 'string' }): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
});

const HEADER_PARAMETERS: readonly Json[] = [
  header(
    'X-Service-Signature',
    'Lowercase hex HMAC-SHA256 of the raw body, keyed with your secret.',
  ),
  header('X-Service-Event-Id', "The event's id."),
  header('X-Service-Event-Type', "The event's type."),
  header('X-Service-Delivery-Attempt', '1 for the first attempt of a delivery.', {
    type: 'integer',
    minimum: 1,
  }),
  header('webhook-id', "The event's id, as Standard Webhooks names it."),
  header('webhook-timestamp', 'When this attempt was sent, in Unix seconds.'),
  header('webhook-signature', 'The signature in the form of Standard Webhooks.'),
];

/** The `webhooks` of the partner document: a request for every type of event. */
export function eventWebhooks(components: Components): Json {
  return Object.fromEntries(
    EVENT_TYPES.map((type) => [type, { post: eventRequest(type, components) }]),
  );
}

function eventRequest(type: EventType, components: Components): Json {
  const body = Type.Object(
    { ...eventFields(familyOf(type), [type]), partner_id: Type.String() },
    { title: `${pascalCase(type)}Event`, description: `${SUMMARIES[type]}.` },
  );
  return {
    operationId: `on${pascalCase(type)}`,
    summary: SUMMARIES[type],
    description:
      'Sent to your registered endpoint. Check the signature over the raw body before you parse it; expect it more than once, and out of order.',
    tags: ['Webhooks'],
    security: [],
    parameters: HEADER_PARAMETERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: components.render(body) } },
    },
    responses: {
      '2XX': { description: 'Received, within 5 seconds.' },
      '410': { description: 'Gone: the endpoint is disabled and gets no more.' },
    },
  };
}
