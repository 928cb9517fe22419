import type { ErrorCode } from '../../shared/platform/error-catalogue.ts';
import { deprecationOf } from '../http/deprecation.ts';
import type { PublicRoute } from '../public/route.ts';
import { publicRoutes } from '../public/routes.ts';
import { buildDocument, commonErrors, type DocumentOptions } from './document.ts';
import { type Examples, readExamples } from './examples.ts';
import { RATE_LIMIT_HEADERS } from './headers.ts';
import { idempotencyParameter } from './idempotency-parameter.ts';
import type { Json } from './json.ts';
import { OAUTH_TAG, oauthPaths, oauthScheme } from './oauth-paths.ts';
import type { DescribedRoute } from './operation.ts';
import { PUBLIC_TAGS, tagOf } from './tags.ts';
import { TOOL_TAG, toolServerPath } from './tool-server-path.ts';

const DESCRIPTION = `Look up names, prices and rules of TLDs, registrations and domains for sale. Nothing needs an account; signing in shows the real prices of the market and opens the calls on your own domains.

Every path below \`/api/\` is the current version. \`/api/v1/...\` is the pinned spelling of the same path and answers the same. Times are ISO 8601 UTC, money is whole minor units. Unknown fields and parameters are ignored. \`RateLimit-*\` headers tell with every answer how the caller stands; over the limit it is 429 with \`Retry-After\`. A call that will go away says so in \`Deprecation\` and \`Sunset\`, at least 90 days ahead.`;

/** The OpenAPI 3.1 document of the public API: its route table, signing in, and the tool server. */
export function publicDocument(options: DocumentOptions): Json {
  const { baseUrl } = options;
  const examples = readExamples().public;
  return buildDocument(
    publicRoutes.map((row) => describe(row, options, examples)),
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
  row: PublicRoute,
  { deprecations }: DocumentOptions,
  examples: Examples,
): DescribedRoute {
  const scope = row.scope;
  const keyed = row.idempotencyKey === 'accepted';
  return {
    row,
    tag: tagOf(PUBLIC_TAGS, row.path),
    security: scope ? [{ oauth: [scope] }] : [{}, { oauth: ['pricing:read'] }],
    needs: needsOf(row),
    headerParameters: keyed ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : [],
    headers: [
      'RequestId',
      ...RATE_LIMIT_HEADERS,
      ...(keyed ? (['IdempotentReplayed'] as const) : []),
    ],
    errors: [...commonErrors(row), ...errorsOfCaller(row), ...(row.errors ?? [])],
    deprecation: deprecationOf(deprecations, 'public', row),
    example: examples[row.operationId],
  };
}

function errorsOfCaller({ scope }: PublicRoute): ErrorCode[] {
  return scope ? ['invalid_token', 'forbidden'] : ['invalid_token'];
}

function needsOf({ scope, limit }: PublicRoute): string {
  const who = scope ? `Only for signed-in callers with the scope \`${scope}\`. ` : '';
  return `${who}Counts in the limit group \`${limit}\`.`;
}
