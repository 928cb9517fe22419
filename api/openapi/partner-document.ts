import type { ErrorCode } from '../../shared/platform/error-catalogue.ts';
import { deprecationOf } from '../http/deprecation.ts';
import type { PartnerRoute } from '../partner/route.ts';
import { partnerRoutes } from '../partner/routes.ts';
import { buildDocument, commonErrors, type DocumentOptions } from './document.ts';
import { eventWebhooks } from './event-webhooks.ts';
import { type Examples, readExamples } from './examples.ts';
import { idempotencyParameter } from './idempotency-parameter.ts';
import type { Json } from './json.ts';
import type { DescribedRoute } from './operation.ts';
import { PARTNER_TAGS, tagOf } from './tags.ts';

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
    partnerRoutes.map((row) => describe(row, options, examples)),
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
  row: PartnerRoute,
  { deprecations }: DocumentOptions,
  examples: Examples,
): DescribedRoute {
  const keyed = row.idempotencyKey === 'required';
  return {
    row,
    tag: tagOf(PARTNER_TAGS, row.path),
    security: row.scopes.map((scope) => ({
      KeyId: [scope],
      Timestamp: [],
      Nonce: [],
      Signature: [],
    })),
    needs: needsOf(row),
    headerParameters: keyed ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : [],
    headers: keyed ? ['RequestId', 'IdempotentReplayed'] : ['RequestId'],
    errors: [...commonErrors(row), ...errorsOfAdmission(row), ...(row.errors ?? [])],
    deprecation: deprecationOf(deprecations, 'partner', row),
    // The paths without and with the version answer the same.
    example: examples[row.operationId] ?? examples[row.operationId.replace(/V1$/, '')],
  };
}

function errorsOfAdmission(row: PartnerRoute): ErrorCode[] {
  return [
    ...(row.idempotencyKey === 'required' ? (['missing_idempotency_key'] as const) : []),
    'missing_credentials',
    'missing_signature_headers',
    'invalid_timestamp',
    'invalid_signature',
    'replay_detected',
    'forbidden',
    'credential_not_active',
    'partner_not_active',
    ...(row.sandboxOnly ? (['not_found'] as const) : []),
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
