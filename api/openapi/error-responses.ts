import { ERROR_CATALOGUE, type ErrorCode } from '../../shared/platform/error-catalogue.ts';
import { type HeaderName, headerRefs } from './headers.ts';
import { type Json, pascalCase } from './json.ts';

/** The one envelope of every refusal. */
export const ErrorSchema = {
  title: 'Error',
  type: 'object',
  description: 'Every refusal looks like this.',
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
          description: 'What was wrong and what to do. For people; it may change.',
        },
        request_id: { type: 'string', minLength: 1, description: 'The same as `X-Request-Id`.' },
        details: {
          type: ['object', 'array'],
          description:
            'More for programs: the faults (`path`, `message`) of a `validation_error`, the `reason` of a `conflict`.',
        },
      },
    },
  },
} as const;

/** Codes that come together often; other sets are named after their members. */
const GROUP_NAMES: Readonly<Record<number, string>> = { 401: 'Unauthorized', 403: 'Forbidden' };

const EXAMPLE_ID = 'req_5fTqk2mZr8Wc0YtB3nLxVa';

/** The refusals of a document; each set of codes is written once and referred to. */
export interface ErrorResponses {
  /** Status → reference, for the codes that a call can answer. */
  refs(codes: readonly ErrorCode[]): Json;
  responses(): Json;
}

/** `headersOf` names the headers that come with a status. */
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
