import { Type } from 'typebox';
import { EVENT_TYPES, type EventType } from '../../shared/delivery/events/event.ts';
import type { ErrorCode } from '../../shared/platform/errors.ts';
import { deprecationOf } from '../http/deprecation.ts';
import { eventFields, familyOf } from '../partner/event-routes.ts';
import type { PartnerRoute } from '../partner/partner-route.ts';
import { partnerRoutes } from '../partner/partner-router.ts';
import { type Components, type Json, pascalCase } from './openapi-components.ts';
import { buildDocument, commonErrors, type DocumentOptions } from './openapi-document.ts';
import {
  type DescribedRoute,
  type Examples,
  idempotencyParameter,
  readExamples,
} from './openapi-operation.ts';
import { PARTNER_TAGS, tagOf } from './openapi-tags.ts';

const SIGNATURE_SCHEMES: Json = {
  KeyId: signatureHeader('X-Service-Key-Id', 'The public key id of your credential.'),
  Timestamp: signatureHeader(
    'X-Service-Timestamp',
    'Unix time in seconds, within 300 seconds of the server clock.',
  ),
  Nonce: signatureHeader(
    'X-Service-Nonce',
    'Unique to the request, retries too: a UUID v4, or up to 128 visible ASCII characters.',
  ),
  Signature: signatureHeader(
    'X-Service-Signature',
    '`v1=` and the lowercase hex HMAC-SHA256, keyed with your secret, of six lines: method, path, canonical query, timestamp, nonce, and the hex SHA-256 of the body.',
  ),
};

const DESCRIPTION = `Search inventory, lock prices, record sales, and follow them to the settlement.

Every request carries the four signature headers. A credential belongs to one environment, \`SANDBOX\` or \`LIVE\`, and holds scopes; a call names the one that it needs. Times are ISO 8601 UTC, money is whole minor units. Unknown fields and parameters are ignored. Over its limit a call is 429 with \`Retry-After\`.`;

/** The OpenAPI 3.1 document of the partner API, out of its route table. */
export function partnerDocument(options: DocumentOptions): Json {
  const examples = readExamples().partner;
  return buildDocument(
    partnerRoutes.map((route) => describe(route, options, examples)),
    {
      title: 'Domain marketplace: partner API',
      description: DESCRIPTION,
      baseUrl: options.baseUrl,
      mountedAt: '/api/partner',
      tags: PARTNER_TAGS,
      securitySchemes: SIGNATURE_SCHEMES,
      parameters: { IdempotencyKey: idempotencyParameter({ required: true }) },
      headersOfError: (status) =>
        status === 429 || status === 503 ? ['RequestId', 'RetryAfter'] : ['RequestId'],
      webhooks: eventWebhooks,
    },
  );
}

function describe(
  route: PartnerRoute,
  { deprecations }: DocumentOptions,
  examples: Examples,
): DescribedRoute {
  const keyed = route.idempotencyKey === 'required';
  return {
    route,
    tag: tagOf(PARTNER_TAGS, route.path),
    security: route.scopes.map((scope) => ({
      KeyId: [scope],
      Timestamp: [],
      Nonce: [],
      Signature: [],
    })),
    needs: needsOf(route),
    headerParameters: keyed ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : [],
    headers: keyed ? ['RequestId', 'IdempotentReplayed'] : ['RequestId'],
    errors: [...commonErrors(route), ...errorsOfAuthentication(route), ...(route.errors ?? [])],
    deprecation: deprecationOf(deprecations, 'partner', route),
    // The paths without and with the version answer the same.
    example: examples[route.operationId] ?? examples[route.operationId.replace(/V1$/, '')],
  };
}

function errorsOfAuthentication(route: PartnerRoute): ErrorCode[] {
  return [
    ...(route.idempotencyKey === 'required' ? (['missing_idempotency_key'] as const) : []),
    'missing_credentials',
    'missing_signature_headers',
    'invalid_timestamp',
    'invalid_signature',
    'replay_detected',
    'forbidden',
    'credential_not_active',
    'partner_not_active',
    ...(route.sandboxOnly ? (['not_found'] as const) : []),
  ];
}

function needsOf({ scopes, limit, sandboxOnly }: PartnerRoute): string {
  const scope = scopes.map((each) => `\`${each}\``).join(' or ');
  const only = sandboxOnly ? ' Only for SANDBOX credentials.' : '';
  return `Needs the scope ${scope}. Counts in the limit group \`${limit}\`.${only}`;
}

function signatureHeader(name: string, description: string): Json {
  return { type: 'apiKey', in: 'header', name, description };
}

/** When each event is sent. */
export const EVENT_SUMMARIES: Record<EventType, string> = {
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
  'webhook.endpoint_disabled': 'An endpoint was disabled: it failed for days, or answered 410',
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
    { title: `${pascalCase(type)}Event`, description: `${EVENT_SUMMARIES[type]}.` },
  );
  return {
    operationId: `on${pascalCase(type)}`,
    summary: EVENT_SUMMARIES[type],
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
