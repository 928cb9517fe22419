import type { ErrorCode } from '../../shared/platform/errors.ts';
import { deprecationOf } from '../http/deprecation.ts';
import type { PublicRoute } from '../public/public-route.ts';
import { publicRoutes } from '../public/public-router.ts';
import type { Json } from './openapi-components.ts';
import { buildDocument, commonErrors, type DocumentOptions } from './openapi-document.ts';
import { OAUTH_TAG, oauthPaths, oauthScheme } from './openapi-oauth.ts';
import {
  type DescribedRoute,
  type Examples,
  idempotencyParameter,
  readExamples,
} from './openapi-operation.ts';
import { type ErrorResponses, headerRefs, RATE_LIMIT_HEADERS } from './openapi-responses.ts';
import { PUBLIC_TAGS, type Tag, tagOf } from './openapi-tags.ts';

const DESCRIPTION = `Look up names, prices and rules of TLDs, registrations and domains for sale. Nothing needs an account; signing in shows the real prices of the market and opens the calls on your own domains.

Every path below \`/api/\` is the current version. \`/api/v1/...\` is the same path with a pinned version. Times are ISO 8601 UTC, money is whole minor units. Unknown fields and parameters are ignored. Blank query parameters are ignored, and so are optional fields that are null, unless their schema allows null. \`RateLimit-*\` headers in every response show the caller's limits. Calls over the limit return 429 with \`Retry-After\`. Deprecated calls say so in \`Deprecation\` and \`Sunset\`, at least 90 days ahead.`;

/** Builds the OpenAPI 3.1 document of the public API: its route table, sign-in, and the tool server. */
export function publicDocument(options: DocumentOptions): Json {
  const { baseUrl } = options;
  const examples = readExamples().public;
  return buildDocument(
    publicRoutes.map((route) => describe(route, options, examples)),
    {
      title: 'Domain marketplace: public API',
      description: DESCRIPTION,
      baseUrl,
      mountedAt: '/api',
      tags: [...PUBLIC_TAGS, OAUTH_TAG, TOOL_TAG],
      securitySchemes: { oauth: oauthScheme(baseUrl) },
      parameters: { IdempotencyKey: idempotencyParameter({ required: false }) },
      headersOfError: (status) => [
        'RequestId',
        ...RATE_LIMIT_HEADERS,
        ...(status === 401 || status === 403 ? (['Challenge'] as const) : []),
        ...(status === 429 || status === 503 ? (['RetryAfter'] as const) : []),
      ],
      morePaths: (components, errors) => ({
        ...oauthPaths(components),
        ...toolServerPath(errors),
      }),
    },
  );
}

function describe(
  route: PublicRoute,
  { deprecations }: DocumentOptions,
  examples: Examples,
): DescribedRoute {
  const scope = route.scope;
  const keyed = route.idempotencyKey === 'accepted';
  return {
    route,
    tag: tagOf(PUBLIC_TAGS, route.path),
    security: scope ? [{ oauth: [scope] }] : [{}, { oauth: ['pricing:read'] }],
    needs: needsOf(route),
    headerParameters: keyed ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : [],
    headers: [
      'RequestId',
      ...RATE_LIMIT_HEADERS,
      ...(keyed ? (['IdempotentReplayed'] as const) : []),
    ],
    errors: [...commonErrors(route), ...errorsOfCaller(route), ...(route.errors ?? [])],
    deprecation: deprecationOf(deprecations, 'public', route),
    example: examples[route.operationId],
  };
}

function errorsOfCaller({ scope }: PublicRoute): ErrorCode[] {
  return scope ? ['invalid_token', 'forbidden'] : ['invalid_token'];
}

function needsOf({ scope, limit }: PublicRoute): string {
  const who = scope ? `Only for signed-in callers with the scope \`${scope}\`. ` : '';
  return `${who}Counts in the limit group \`${limit}\`.`;
}

const TOOL_TAG: Tag = {
  name: 'Tools',
  description: 'The reads as tools for language models (Model Context Protocol).',
  paths: [],
};

/** A JSON-RPC 2.0 message; the protocol defines its content. */
const MESSAGE: Json = {
  type: 'object',
  required: ['jsonrpc'],
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: ['string', 'number', 'null'] },
    method: { type: 'string' },
    params: { type: 'object' },
    result: {},
    error: { type: 'object' },
  },
};

/** A refusal in the protocol's own terms, by the library or before it. */
const REFUSED: Json = {
  type: 'object',
  required: ['jsonrpc', 'error', 'id'],
  properties: {
    jsonrpc: { const: '2.0' },
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'integer' },
        message: { type: 'string' },
        data: {
          description: 'Our own `code`, `request_id` and `details`, when we have more to say.',
        },
      },
    },
    id: { type: ['string', 'number', 'null'] },
  },
};

/** Describes `POST {base_url}/api`, which a library serves. */
function toolServerPath(errors: ErrorResponses): Json {
  const headers = headerRefs(['RequestId', ...RATE_LIMIT_HEADERS]);
  const refused = (description: string): Json => ({
    description: `${description} A JSON-RPC error.`,
    headers,
    content: { 'application/json': { schema: REFUSED } },
  });
  return {
    '/api': {
      post: {
        operationId: 'callToolServer',
        summary: 'Send a message to the tool server',
        description:
          'Model Context Protocol over Streamable HTTP. The tools are the operations of `GET /api/batch`. Every call needs an access token; without one, the 401 response says where to get it.',
        tags: [TOOL_TAG.name],
        security: [{ oauth: ['pricing:read'] }],
        requestBody: { required: true, content: { 'application/json': { schema: MESSAGE } } },
        responses: {
          '200': {
            description:
              'The response as one message, or as a stream with that message if `Accept` includes `text/event-stream`.',
            headers,
            content: {
              'application/json': { schema: MESSAGE },
              'text/event-stream': { schema: { type: 'string' } },
            },
          },
          '202': { description: 'The notification was accepted. There is no body.', headers },
          '400': refused('The body is not a message of the protocol, or nested too deeply.'),
          '406': refused('`Accept` allows neither JSON nor any type.'),
          '415': refused('The body is not `application/json`.'),
          ...errors.refs(['invalid_token', 'forbidden', 'payload_too_large', 'rate_limited']),
        },
      },
    },
  };
}
