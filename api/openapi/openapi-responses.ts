import { ERROR_CATALOGUE, type ErrorCode } from '../../shared/platform/errors.ts';
import { type Json, pascalCase } from './openapi-components.ts';

/** The error envelope. */
export const ErrorSchema = {
  title: 'Error',
  type: 'object',
  description: 'The format of all errors.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'request_id'],
      properties: {
        code: { type: 'string', enum: Object.keys(ERROR_CATALOGUE) },
        message: {
          type: 'string',
          minLength: 1,
          description: 'What went wrong and what to do. For people; it may change.',
        },
        request_id: { type: 'string', minLength: 1, description: 'The same as `X-Request-Id`.' },
        details: {
          type: ['object', 'array'],
          description:
            'Machine-readable details: the faults (`path`, `message`) of a `validation_error`, the `reason` of a `conflict`, the `source` and `raw` text of an `unreadable_answer`.',
        },
      },
    },
  },
} as const;

/** Names of code sets that often occur together; other sets are named after their members. */
const GROUP_NAMES: Readonly<Record<number, string>> = { 401: 'Unauthorized', 403: 'Forbidden' };

const EXAMPLE_ID = 'req_5fTqk2mZr8Wc0YtB3nLxVa';

/** The error responses of a document; each set of codes is written once and referenced. */
export interface ErrorResponses {
  /** Returns status → reference for the codes that a call can return. */
  refs(codes: readonly ErrorCode[]): Json;
  responses(): Json;
}

/** Creates the error responses; `headersOf` names the headers that come with a status. */
export function createErrorResponses(
  headersOf: (status: number) => readonly HeaderName[],
): ErrorResponses {
  const responses = new Map<string, Json>();
  return {
    refs(codes) {
      const byStatus = new Map<number, ErrorCode[]>();
      for (const code of new Set(codes)) {
        const { status } = ERROR_CATALOGUE[code];
        byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
      }
      return Object.fromEntries(
        [...byStatus].map(([status, here]) => {
          const name = nameOf(status, here);
          responses.set(name, response(here, headersOf(status)));
          return [String(status), { $ref: `#/components/responses/${name}` }];
        }),
      );
    },
    responses: () => Object.fromEntries(responses),
  };
}

function nameOf(status: number, codes: readonly ErrorCode[]): string {
  const [first] = codes;
  if (codes.length === 1 && first) return pascalCase(first);
  return GROUP_NAMES[status] ?? codes.map(pascalCase).join('Or');
}

function response(codes: readonly ErrorCode[], headers: readonly HeaderName[]): Json {
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_CATALOGUE[code].message}`).join('\n\n'),
    headers: headerRefs(headers),
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${ErrorSchema.title}` },
        examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }])),
      },
    },
  };
}

function errorExample(code: ErrorCode): Json {
  const { message } = ERROR_CATALOGUE[code];
  return { error: { code, message, request_id: EXAMPLE_ID } };
}

const text = (description: string, schema: Json = {}): Json => ({
  description,
  schema: { type: 'string', ...schema },
});
const count = (description: string): Json => ({
  description,
  schema: { type: 'integer', minimum: 0 },
});

/** The response headers, by component name. */
export const HEADERS = {
  RequestId: text('The ID of this request. If you send `X-Request-Id`, we return it.', {
    examples: ['req_5fTqk2mZr8Wc0YtB3nLxVa'],
  }),
  RateLimit: count('Requests per minute in the limit group of the call.'),
  RateLimitRemaining: count('How many requests are left.'),
  RateLimitReset: count('Seconds until the limit resets.'),
  RateLimitPolicy: text('The limit and its window in seconds.', { examples: ['120;w=60'] }),
  RetryAfter: count('Seconds to wait before you retry.'),
  IdempotentReplayed: text('Set if this is the stored response of an earlier request.', {
    enum: ['true'],
  }),
  IgnoredParameters: text(
    'The query parameters that the call does not know, percent-encoded and separated by commas.',
    { examples: ['offset,minPrice'] },
  ),
  Challenge: text('Where a client finds how to sign in its user (RFC 9728).'),
  Deprecation: text('When the call was deprecated (RFC 9745).', {
    examples: ['@1767225600'],
  }),
  Sunset: text('When the call may stop working (RFC 8594).', {
    examples: ['Wed, 01 Jul 2026 00:00:00 GMT'],
  }),
  Link: text('`rel="deprecation"`: what to use instead.'),
} as const;

export type HeaderName = keyof typeof HEADERS;

/** The header names on the wire, where they differ from the component names. */
const WIRE_NAMES: Record<HeaderName, string> = {
  RequestId: 'X-Request-Id',
  RateLimit: 'RateLimit-Limit',
  RateLimitRemaining: 'RateLimit-Remaining',
  RateLimitReset: 'RateLimit-Reset',
  RateLimitPolicy: 'RateLimit-Policy',
  RetryAfter: 'Retry-After',
  IdempotentReplayed: 'Idempotent-Replayed',
  IgnoredParameters: 'X-Service-Ignored-Parameters',
  Challenge: 'WWW-Authenticate',
  Deprecation: 'Deprecation',
  Sunset: 'Sunset',
  Link: 'Link',
};

export const RATE_LIMIT_HEADERS: readonly HeaderName[] = [
  'RateLimit',
  'RateLimitRemaining',
  'RateLimitReset',
  'RateLimitPolicy',
];

/** Returns response headers as references. */
export function headerRefs(names: readonly HeaderName[]): Json {
  return Object.fromEntries(
    names.map((name) => [WIRE_NAMES[name], { $ref: `#/components/headers/${name}` }]),
  );
}
