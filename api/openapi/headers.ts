import type { Json } from './json.ts';

const text = (description: string, schema: Json = {}): Json => ({
  description,
  schema: { type: 'string', ...schema },
});
const count = (description: string): Json => ({
  description,
  schema: { type: 'integer', minimum: 0 },
});

/** What the headers of answers mean, by the name of their component. */
export const HEADERS = {
  RequestId: text("Names this request; a caller's own `X-Request-Id` comes back.", {
    examples: ['req_5fTqk2mZr8Wc0YtB3nLxVa'],
  }),
  RateLimit: count('Requests a minute in the limit group of the call.'),
  RateLimitRemaining: count('How many of them are left.'),
  RateLimitReset: count('Seconds until the count starts again.'),
  RateLimitPolicy: text('The limit and its window in seconds.', { examples: ['120;w=60'] }),
  RetryAfter: count('Seconds to wait before the next try.'),
  IdempotentReplayed: text('There when the answer is the stored one of an earlier request.', {
    enum: ['true'],
  }),
  IgnoredParameters: text(
    'There when the call does not know some of the query parameters; names them, percent-encoded and separated by commas.',
    { examples: ['offset,minPrice'] },
  ),
  Challenge: text('Where a client learns how to sign its user in (RFC 9728).'),
  Deprecation: text('Since when the call is deprecated (RFC 9745).', {
    examples: ['@1767225600'],
  }),
  Sunset: text('When the call may stop to answer (RFC 8594).', {
    examples: ['Wed, 01 Jul 2026 00:00:00 GMT'],
  }),
  Link: text('`rel="deprecation"`: what to use instead.'),
} as const;

export type HeaderName = keyof typeof HEADERS;

/** On the wire, where the component's name is another. */
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

/** The headers of an answer, as references. */
export function headerRefs(names: readonly HeaderName[]): Json {
  return Object.fromEntries(
    names.map((name) => [WIRE_NAMES[name], { $ref: `#/components/headers/${name}` }]),
  );
}
