import { ThinEvent } from '../../shared/messaging/event-types/event-schema.ts';
import type { ErrorCode } from '../../shared/platform/errors.ts';
import { deprecationOf } from '../http/deprecation.ts';
import { EVENTS } from '../partner/event-catalogue.ts';
import type { PartnerRoute } from '../partner/partner-route.ts';
import { partnerRoutes } from '../partner/partner-router.ts';
import { deliveredEvent, exampleOf, thinExampleOf } from './event-messages.ts';
import { type Components, type Json, pascalCase } from './openapi-components.ts';
import { buildDocument, commonErrors, type DocumentOptions } from './openapi-document.ts';
import {
  type DescribedRoute,
  type Examples,
  idempotencyParameter,
  readExamples,
} from './openapi-operation.ts';
import { RATE_LIMIT_HEADERS } from './openapi-responses.ts';
import { PARTNER_TAGS, tagOf } from './openapi-tags.ts';

const SIGNATURE_SCHEMES: Json = {
  KeyId: signatureHeader('X-Service-Key-Id', 'The public key ID of your credential.'),
  Timestamp: signatureHeader(
    'X-Service-Timestamp',
    'Unix time in seconds, within 300 seconds of the server clock.',
  ),
  Nonce: signatureHeader(
    'X-Service-Nonce',
    'Unique to each request, including retries: a UUID v4, or up to 128 visible ASCII characters.',
  ),
  Signature: signatureHeader(
    'X-Service-Signature',
    '`v1=` and the lowercase hex HMAC-SHA256, keyed with your secret, of six lines: method, path, canonical query, timestamp, nonce, and the hex SHA-256 of the body.',
  ),
};

const DESCRIPTION = `Search inventory, lock prices, record sales, and follow them to the settlement.

Every request carries the four signature headers. A credential belongs to one environment, \`SANDBOX\` or \`LIVE\`, and holds scopes; each call says which one it needs. Times are ISO 8601 UTC, money is whole minor units. Unknown fields and parameters are ignored. Blank query parameters are ignored, and so are optional fields that are null, unless their schema allows null. Calls over the limit return 429 with \`Retry-After\`.`;

/** Builds the OpenAPI 3.1 document of the partner API from its route table. */
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
      headersOfError: (status) => [
        'RequestId',
        ...(status === 429 ? RATE_LIMIT_HEADERS : []),
        ...(status === 429 || status === 503 ? (['RetryAfter'] as const) : []),
      ],
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
    headers: [
      'RequestId',
      ...RATE_LIMIT_HEADERS,
      ...(keyed ? (['IdempotentReplayed'] as const) : []),
    ],
    errors: [...commonErrors(route), ...errorsOfAuthentication(route), ...(route.errors ?? [])],
    deprecation: deprecationOf(deprecations, 'partner', route),
    // Paths with and without the version get the same response.
    example: examples[route.operationId],
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

const header = (name: string, description: string, schema: Json = { type: 'string' }) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
});

/** The headers of every delivery. */
export const HEADER_PARAMETERS: readonly (Json & { name: string })[] = [
  header(
    'X-Service-Signature',
    'Lowercase hex HMAC-SHA256 of the raw body, keyed with your secret.',
  ),
  header('X-Service-Event-Id', 'The event ID.'),
  header('X-Service-Event-Type', "The event's type."),
  header('X-Service-Delivery-Attempt', '1 for the first attempt of a delivery.', {
    type: 'integer',
    minimum: 1,
  }),
  header('webhook-id', 'The event ID, as in Standard Webhooks.'),
  header('webhook-timestamp', 'When this attempt was sent, in Unix seconds.'),
  header('webhook-signature', 'The signature, as in Standard Webhooks.'),
];

/** Returns the `webhooks` of the partner document: a request for every event type, and one for thin payloads. */
function eventWebhooks(components: Components): Json {
  const requests = EVENTS.map((definition) => [
    definition.type,
    webhook({
      name: definition.type,
      summary: definition.when.replace(/\.$/, ''),
      description: 'Sent to your registered endpoint.',
      schema: components.render(deliveredEvent(definition)),
      example: exampleOf(definition),
    }),
  ]);
  const thin = webhook({
    name: THIN_WEBHOOK,
    summary: 'Any event, to an endpoint with `payload: thin`',
    description: 'It has no data: read the subject for its current state.',
    schema: components.render(ThinEvent),
    example: EVENTS[0] && thinExampleOf(EVENTS[0]),
  });
  return Object.fromEntries([...requests, [THIN_WEBHOOK, thin]]);
}

/** The name of the request for thin payloads, which covers every event type. */
const THIN_WEBHOOK = 'thin';

function webhook(request: {
  name: string;
  summary: string;
  description: string;
  schema: unknown;
  example: unknown;
}): Json {
  const { name, summary, description, schema, example } = request;
  return {
    post: {
      operationId: `on${pascalCase(name)}`,
      summary,
      description: `${description} Check the signature over the raw body before you parse it; expect it more than once, and out of order.`,
      tags: ['Webhooks'],
      security: [],
      parameters: HEADER_PARAMETERS,
      requestBody: { required: true, content: { 'application/json': { schema, example } } },
      responses: {
        '2XX': { description: 'Received, within 5 seconds.' },
        '410': { description: 'Gone: we disable the endpoint and send no more.' },
      },
    },
  };
}
