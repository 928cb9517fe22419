import type { ErrorResponses } from './error-responses.ts';
import { headerRefs, RATE_LIMIT_HEADERS } from './headers.ts';
import type { Json } from './json.ts';
import type { Tag } from './tags.ts';

export const TOOL_TAG: Tag = {
  name: 'Tools',
  description: 'The reads as tools for language models (Model Context Protocol).',
  paths: [],
};

/** A JSON-RPC 2.0 message; the protocol says what is in it. */
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

/** `POST {base_url}/api`, which a library serves. */
export function toolServerPath(baseUrl: string, errors: ErrorResponses): Json {
  const headers = headerRefs(['RequestId', ...RATE_LIMIT_HEADERS]);
  return {
    '/api': {
      servers: [{ url: baseUrl }],
      post: {
        operationId: 'callToolServer',
        summary: 'Send a message to the tool server',
        description:
          'Model Context Protocol over Streamable HTTP. The tools are the operations of `GET /batch`. Any call needs an access token; without one the 401 tells where to get it.',
        tags: [TOOL_TAG.name],
        security: [{ oauth: ['pricing:read'] }],
        requestBody: { required: true, content: { 'application/json': { schema: MESSAGE } } },
        responses: {
          '200': {
            description: 'The answer, as one message or as a stream of them.',
            headers,
            content: {
              'application/json': { schema: MESSAGE },
              'text/event-stream': { schema: { type: 'string' } },
            },
          },
          '202': { description: 'A notification was taken; there is no body.', headers },
          ...errors.refs([
            'validation_error',
            'invalid_token',
            'forbidden',
            'payload_too_large',
            'unsupported_media_type',
            'rate_limited',
          ]),
        },
      },
    },
  };
}
